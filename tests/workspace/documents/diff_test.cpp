#include "workspace/documents/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

#include "support/thread_time.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string>;

std::vector<std::string_view> views(const Lines& lines) { return {lines.begin(), lines.end()}; }

Lines applied(const Lines& before, const std::vector<LineChange>& changes) {
  Lines after;
  int position = 0;
  for (const LineChange& change : changes) {
    after.insert(after.end(), before.begin() + position, before.begin() + change.old_begin);
    after.insert(after.end(), change.new_lines.begin(), change.new_lines.end());
    position = change.old_end;
  }
  after.insert(after.end(), before.begin() + position, before.end());
  return after;
}

int size_of(const std::vector<LineChange>& changes) {
  int size = 0;
  for (const LineChange& change : changes) {
    size += change.old_end - change.old_begin + static_cast<int>(change.new_lines.size());
  }
  return size;
}

// Ascending; no change is empty or keeps its first or last line; at least one kept line between
// two.
void check_form(const Lines& before, const std::vector<LineChange>& changes) {
  int previous_end = -1;
  for (const LineChange& change : changes) {
    ASSERT_GT(change.old_begin, previous_end);
    ASSERT_TRUE(change.old_begin < change.old_end || !change.new_lines.empty());
    previous_end = change.old_end;
    if (change.old_begin == change.old_end || change.new_lines.empty()) continue;
    EXPECT_NE(before[change.old_begin], change.new_lines.front());
    EXPECT_NE(before[change.old_end - 1], change.new_lines.back());
  }
}

int fewest_changed_lines(const Lines& a, const Lines& b) {
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return static_cast<int>(a.size() + b.size()) - 2 * common[0][0];
}

// A typical edit by a person: a few places with lines replaced, inserted, deleted, copied.
Lines edited(Lines lines, std::mt19937& random) {
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n)(random);
  };
  for (std::size_t i = pick(4); i > 0; --i) {
    const std::size_t begin = pick(lines.size());
    const std::size_t end = std::min(lines.size(), begin + pick(3));
    Lines fresh;
    for (std::size_t k = pick(3); k > 0; --k) {
      fresh.push_back(pick(2) == 0 && !lines.empty() ? lines[pick(lines.size() - 1)]
                                                     : "new " + std::to_string(random()));
    }
    lines.erase(lines.begin() + begin, lines.begin() + end);
    lines.insert(lines.begin() + begin, fresh.begin(), fresh.end());
  }
  return lines;
}

Lines random_file(std::mt19937& random, int length, int variety) {
  Lines lines;
  for (int i = 0; i < length; ++i) {
    const auto kind = std::uniform_int_distribution<int>(0, variety)(random);
    lines.push_back(kind < 2 ? "" : kind < 4 ? "}" : "statement " + std::to_string(kind));
  }
  return lines;
}

std::vector<LineChange> streamed(const std::vector<std::string_view>& before, const Lines& after) {
  IncrementalDiff diff(before);
  std::vector<LineChange> changes;
  const auto take = [&](std::vector<LineChange> more) {
    changes.insert(changes.end(), more.begin(), more.end());
  };
  for (const std::string& line : after) take(diff.add(line));
  take(diff.finish());
  EXPECT_EQ(diff.passed(), static_cast<int>(before.size()));
  return changes;
}

TEST(DiffLines, IsTheSmallestDifference) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const Lines before = random_file(random, static_cast<int>(random() % 14), 6);
    const Lines after = round % 2 ? edited(before, random)
                                  : random_file(random, static_cast<int>(random() % 14), 6);
    const std::vector<LineChange> changes = diff_lines(views(before), views(after));
    ASSERT_EQ(applied(before, changes), after) << "round " << round;
    ASSERT_EQ(size_of(changes), fewest_changed_lines(before, after)) << "round " << round;
    check_form(before, changes);
  }
}

TEST(DiffLines, BigDifferencesGoAlongTheirUniqueLines) {
  Lines before, after;
  for (int i = 0; i < 3000; ++i) {
    before.push_back("old " + std::to_string(i));
    after.push_back("new " + std::to_string(i));
    if (i % 10) continue;
    before.push_back("kept " + std::to_string(i));
    after.push_back("kept " + std::to_string(i));
  }
  const std::vector<LineChange> changes = diff_lines(views(before), views(after));
  EXPECT_EQ(applied(before, changes), after);
  EXPECT_EQ(size_of(changes), 6000);
}

TEST(IncrementalDiff, GivesTheNewTextWhateverComes) {
  std::mt19937 random(2);
  for (int round = 0; round < 5000; ++round) {
    const Lines before =
        random_file(random, static_cast<int>(random() % 60), 4 + static_cast<int>(random() % 60));
    const Lines after = round % 3 ? edited(before, random)
                                  : random_file(random, static_cast<int>(random() % 60), 12);
    const std::vector<std::string_view> original = views(before);
    const std::vector<LineChange> changes = streamed(original, after);
    ASSERT_EQ(applied(before, changes), after) << "round " << round;
    check_form(before, changes);
  }
}

// Finality costs little: in files with telling lines, few edits are larger than necessary.
TEST(IncrementalDiff, IsSeldomLargerThanTheSmallest) {
  std::mt19937 random(3);
  int larger = 0;
  for (int round = 0; round < 2000; ++round) {
    const Lines before = random_file(random, 60, 50);
    const Lines after = edited(before, random);
    const std::vector<std::string_view> original = views(before);
    larger += size_of(streamed(original, after)) > fewest_changed_lines(before, after);
  }
  EXPECT_LT(larger, 60);
}

TEST(IncrementalDiff, AChangeIsFinalWhenTheOriginalFollows) {
  const Lines before = {"import os",    "", "def f(x):",  "    return x", "", "def g(y):",
                        "    return y", "", "print(f(1))"};
  const std::vector<std::string_view> original = views(before);
  IncrementalDiff diff(original);
  EXPECT_TRUE(diff.add("import os").empty());
  EXPECT_TRUE(diff.add("").empty());
  EXPECT_TRUE(diff.add("def f(x):").empty());
  EXPECT_TRUE(diff.add("    if x is None:").empty());
  EXPECT_TRUE(diff.add("        return 0").empty());
  EXPECT_EQ(diff.add("    return x"),
            (std::vector<LineChange>{{3, 3, {"    if x is None:", "        return 0"}}}));
  EXPECT_EQ(diff.passed(), 4);
  EXPECT_TRUE(diff.add("").empty());
  EXPECT_TRUE(diff.add("print(f(1))").empty());  // jumping over a function takes more than a line
  EXPECT_EQ(diff.finish(), (std::vector<LineChange>{{5, 8, {}}}));
}

TEST(IncrementalDiff, NewCodeThatRepeatsALaterLineDoesNotSwallowWhatLiesBetween) {
  Lines before;
  for (int i = 0; i < 40; ++i) before.push_back("line number " + std::to_string(i));
  Lines after = before;
  after.insert(after.begin() + 5, {"inserted once", "line number 30", "inserted again"});
  const std::vector<std::string_view> original = views(before);
  EXPECT_EQ(
      streamed(original, after),
      (std::vector<LineChange>{{5, 5, {"inserted once", "line number 30", "inserted again"}}}));
}

// Texts of so many lines that may be hard to compare: every line changed, or all alike.
std::vector<std::pair<Lines, Lines>> hard_cases(int n_lines) {
  const auto numbered = [&](const std::string& text) {
    Lines lines;
    for (int i = 0; i < n_lines; ++i) lines.push_back(text + std::to_string(i));
    return lines;
  };
  const Lines plain = numbered("line ");
  const Lines rewritten = numbered("other ");
  Lines reversed = plain;
  std::reverse(reversed.begin(), reversed.end());
  const Lines same(n_lines, "the same line");
  Lines same_after_new = same;
  same_after_new.insert(same_after_new.begin(), "a new one");
  Lines every_other = plain;
  for (int i = 0; i < n_lines; i += 2) every_other[i] += " changed";
  const Lines braces(n_lines, "}");
  std::mt19937 random(4);
  const Lines noise = random_file(random, n_lines, 10);
  const Lines other_noise = random_file(random, n_lines, 10);
  return {{plain, rewritten}, {plain, reversed}, {same, same_after_new}, {plain, every_other},
          {braces, same},     {same, braces},    {noise, other_noise},   {same_after_new, same}};
}

// The least of several looks, by the thread's own time.
std::chrono::nanoseconds time_of_diff(const Lines& before, const Lines& after) {
  std::chrono::nanoseconds least = std::chrono::hours(1);
  for (int look = 0; look < 3; ++look) {
    const auto start = thread_time();
    const std::vector<std::string_view> original = views(before);
    EXPECT_EQ(applied(before, streamed(original, after)), after);
    least = std::min(least, thread_time() - start);
  }
  return least;
}

// The work must not grow with the square: that of a text sixteen times as long is compared with
// what it is of the shorter one, on the same machine.
TEST(IncrementalDiff, TheWorstCasesGrowWithTheirLength) {
  constexpr int kTimes = 16;
  const auto small = hard_cases(2000);
  const auto large = hard_cases(kTimes * 2000);
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto& [before, after] = small[i];
    const auto of_small = time_of_diff(before, after);
    const auto of_large = time_of_diff(large[i].first, large[i].second);
    // Between 50, for what is linear and outgrows the caches, and 256.
    EXPECT_LT(of_large, kTimes * kTimes / 2 * of_small)
        << before.front() << " -> " << after.front();
  }
}

}  // namespace
}  // namespace redraft
