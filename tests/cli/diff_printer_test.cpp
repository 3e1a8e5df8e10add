#include "cli/diff_printer.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <cstring>
#include <random>
#include <sstream>

#include "workspace/documents/text_edit.h"

namespace redraft::cli {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t newline = text.find('\n', at);
    const std::size_t end = newline == std::string::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

// The result of `patch` for `text`: follows the hunk headers and checks every context and deleted
// line.
std::string apply_diff(const std::string& text, const std::string& diff) {
  const std::vector<std::string> old_lines = split(text);
  const std::vector<std::string> lines = split(diff);
  std::string result;
  std::size_t at = 0;
  int old_left = 0;
  int new_left = 0;
  for (std::size_t i = 2; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with("@@")) {
      EXPECT_EQ(old_left, 0);
      EXPECT_EQ(new_left, 0);
      int old_first = 0;
      int new_first = 0;
      old_left = new_left = 1;
      if (std::sscanf(line.c_str(), "@@ -%d,%d", &old_first, &old_left) < 2) old_left = 1;
      const char* plus = std::strchr(line.c_str(), '+');
      if (std::sscanf(plus, "+%d,%d", &new_first, &new_left) < 2) new_left = 1;
      const std::size_t begin = static_cast<std::size_t>(old_left == 0 ? old_first : old_first - 1);
      for (; at < begin; ++at) result += old_lines[at];
      EXPECT_EQ(split(result).size(),
                static_cast<std::size_t>(new_left == 0 ? new_first : new_first - 1))
          << line;
      continue;
    }
    if (line[0] == '\\') continue;
    std::string content = line.substr(1);
    const bool open_ended = i + 1 < lines.size() && lines[i + 1][0] == '\\';
    if (open_ended) content.pop_back();
    if (line[0] != '+') {
      EXPECT_EQ(old_lines.at(at), content);
      ++at;
      --old_left;
    }
    if (line[0] != '-') {
      result += content;
      --new_left;
    }
  }
  for (; at < old_lines.size(); ++at) result += old_lines[at];
  return result;
}

std::string random_text(std::mt19937& random, int longest) {
  constexpr std::string_view kAlphabet = "ab\n\n\r";
  std::string text(std::uniform_int_distribution(0, longest)(random), ' ');
  for (char& character : text) character = kAlphabet[random() % kAlphabet.size()];
  return text;
}

std::vector<TextEdit> random_edits(std::mt19937& random, const std::string& text) {
  std::vector<TextEdit> edits;
  std::size_t at = 0;
  while (at <= text.size() && edits.size() < 5) {
    const std::size_t begin = at + random() % 12;
    const std::size_t end = begin + random() % 6;
    if (end > text.size()) break;
    edits.push_back({{begin, end}, random_text(random, 6)});
    at = end + 1;
  }
  return edits;
}

TEST(UnifiedDiff, RebuildsTheNewTextWhateverTheEdits) {
  for (std::uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_text(random, 80);
    const std::vector<TextEdit> edits = random_edits(random, text);
    const std::string expected = apply_edits(text, edits);
    const std::string diff = unified_diff("f", text, edits);
    if (expected == text) {
      EXPECT_EQ(diff, "") << "seed " << seed;
    } else {
      ASSERT_EQ(apply_diff(text, diff), expected) << "seed " << seed << "\n" << diff;
    }
  }
}

TEST(UnifiedDiff, LooksLikeThatOfDiff) {
  EXPECT_EQ(unified_diff("a.txt", "1\n2\n3\n4\n5\n6", {{{2, 3}, "two"}, {{10, 11}, "six\n"}}),
            "--- a.txt\n+++ a.txt\n@@ -1,6 +1,6 @@\n 1\n-2\n+two\n 3\n 4\n 5\n-6\n\\ No newline at "
            "end of file\n+six\n");
}

TEST(UnifiedDiff, OfAnEmptyFileAddsAfterLineZero) {
  EXPECT_EQ(unified_diff("a", "", {{{0, 0}, "x\n"}}), "--- a\n+++ a\n@@ -0,0 +1 @@\n+x\n");
}

std::string live(const std::string& text, const std::vector<TextEdit>& edits, bool colour) {
  std::ostringstream out;
  LiveDiff diff(out, "f", text, colour);
  for (const TextEdit& edit : edits) diff.add(edit);
  diff.finish();
  return out.str();
}

TEST(LiveDiff, ShowsAHunkAsSoonAsItComes) {
  const std::string text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
  std::ostringstream out;
  LiveDiff diff(out, "f", text, false);
  diff.add({{2, 4}, "two\n"});
  EXPECT_EQ(out.str(), "f\n@@ -1 +1 @@\n 1\n-2\n+two\n");
  diff.finish();
  EXPECT_EQ(out.str(), "f\n@@ -1 +1 @@\n 1\n-2\n+two\n 3\n 4\n 5\n");
}

TEST(LiveDiff, JoinsHunksThatStandClose) {
  EXPECT_EQ(live("1\n2\n3\n4\n", {{{0, 2}, "one\n"}, {{6, 8}, "four\n"}}, false),
            "f\n@@ -1 +1 @@\n-1\n+one\n 2\n 3\n-4\n+four\n");
}

TEST(LiveDiff, ShowsTwoHunksOfOneLineOnce) {
  EXPECT_EQ(live("abc\n", {{{0, 1}, "A"}, {{2, 3}, "C"}}, false), "f\n@@ -1 +1 @@\n-abc\n+AbC\n");
}

TEST(LiveDiff, EndsEveryStyleOnItsLine) {
  std::istringstream lines(live("1\n2\n3\n", {{{2, 4}, "two\n"}}, true));
  int styled = 0;
  for (std::string line; std::getline(lines, line); ++styled) {
    EXPECT_TRUE(line.starts_with("\033[") && line.ends_with("\033[0m")) << line;
  }
  EXPECT_EQ(styled, 6);
}

TEST(LiveDiff, ShowsControlCharactersInsteadOfSendingThem) {
  EXPECT_THAT(live("a\n", {{{0, 1}, "\033[2J\tb\r"}}, false), testing::EndsWith("-a\n+^[[2J\tb\n"));
}

}  // namespace
}  // namespace redraft::cli
