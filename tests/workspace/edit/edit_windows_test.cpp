#include "workspace/edit/edit_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "tests/kit/scripted_engine.h"
#include "workspace/edit/run_edit.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<const Document> document(std::string text) {
  return *Document::make("file:///a.py", 1, std::move(text), "python");
}

EditRequest request(std::string text) {
  EditRequest request;
  request.document = document(std::move(text));
  request.instruction = "change it";
  request.decoder = *parse_decoder_name("redraft");
  request.repairs = false;
  return request;
}

// Functions of four lines.
std::string functions(int count) {
  std::string text = "import os\n";
  for (int i = 0; i < count; ++i) {
    const std::string name = "function_" + std::to_string(i);
    text += "\ndef " + name + "(x):\n    y = x + " + std::to_string(i) + "\n    return y\n";
  }
  return text;
}

// The lines that the model is to rewrite: the last block of the prompt.
std::string asked_lines(const ScriptedPrompt& prompt) {
  const std::size_t end = prompt.text.rfind("```\nassistant");
  if (end == std::string::npos) {  // a whole file
    const std::size_t begin = prompt.text.find("```python\n") + 10;
    return prompt.text.substr(begin, prompt.text.find("```\n\nInstruction", begin) - begin);
  }
  const std::size_t begin = prompt.text.rfind("```python\n", end) + 10;
  return prompt.text.substr(begin, end - begin);
}

using Change = std::function<std::string(const std::string& line)>;  // lines with their "\n"

std::string changed(const std::string& text, const Change& change) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    result += change(text.substr(begin, end - begin));
    begin = end;
  }
  return result;
}

struct Outcome {
  EditResult result;
  std::vector<std::string> asked;
  std::vector<Hunk> seen;
  std::vector<double> fractions;
  std::vector<LinesPassed> lines;
};

// An edit by a model that changes the given lines one by one.
Result<Outcome> edit(const EditRequest& request, const Change& change, int context_length) {
  Outcome outcome;
  const auto engine = scripted_engine(
      [&](const ScriptedPrompt& prompt) {
        outcome.asked.push_back(asked_lines(prompt));
        return changed(outcome.asked.back(), change) + prompt.fence;
      },
      {}, context_length);
  const EditObserver observer{.on_hunk = [&](const Hunk& hunk) { outcome.seen.push_back(hunk); },
                              .on_progress =
                                  [&](const EditProgress& progress) {
                                    outcome.fractions.push_back(progress.fraction);
                                    outcome.lines.push_back(progress.lines.value());
                                  }};
  Result<EditResult> result = run_edit(*engine, request, observer, {});
  if (!result) return result.error();
  outcome.result = std::move(*result);
  return outcome;
}

TEST(CutWindows, TheyEndAtTheBestPlaceOfTheFurtherHalf) {
  const std::vector<int> sizes(10, 10);
  EXPECT_THAT(cut_windows(sizes, std::vector<int>(10, 0), 40),
              ElementsAre(LineWindow{0, 4}, LineWindow{4, 8}, LineWindow{8, 10}));
  const std::vector<int> ranks = {0, 9, 0, 2, 1, 0, 0, 2, 2, 0};
  EXPECT_THAT(cut_windows(sizes, ranks, 40),
              ElementsAre(LineWindow{0, 3}, LineWindow{3, 7}, LineWindow{7, 10}));
  EXPECT_THAT(cut_windows(sizes, ranks, 1000), ElementsAre(LineWindow{0, 10}));
  EXPECT_THAT(cut_windows({}, {}, 40), ElementsAre());
}

TEST(CutWindows, TheyAreTheLinesWhateverTheSizes) {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::vector<int> sizes(1 + random() % 60), ranks(sizes.size());
    for (int& size : sizes) size = static_cast<int>(random() % (random() % 8 ? 20 : 90));
    for (int& rank : ranks) rank = static_cast<int>(random() % 4);
    const int most = 1 + static_cast<int>(random() % 80);
    int next = 0;
    for (const LineWindow& window : cut_windows(sizes, ranks, most)) {
      ASSERT_EQ(window.first, next);
      ASSERT_LT(window.first, window.last);
      int size = 0;
      for (int line = window.first; line < window.last; ++line) size += sizes[line];
      ASSERT_TRUE(size <= most || window.last == window.first + 1);
      next = window.last;
    }
    ASSERT_EQ(next, static_cast<int>(sizes.size()));
  }
}

TEST(CutRanks, DefinitionsOfTheFileBeforeThoseWithinOthersBeforeBlankLines) {
  const std::string text =
      "import os\n\nclass A:\n    x = 1\n\n    def f(self):\n        pass\n"
      "\n    def g(self):\n        pass\ny = 2\n";
  const EditRegion file = *EditRegion::make(document(text), EditScope::kFile, std::nullopt);
  EXPECT_THAT(cut_ranks(file), ElementsAre(0, 0, 3, 0, 0, 2, 0, 2, 2, 0, 3));
}

TEST(EditWindows, AFileThatFitsIsEditedInOnePass) {
  const Result<Outcome> outcome = edit(
      request(functions(20)), [](const std::string& line) { return line; }, 1 << 14);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_THAT(outcome->asked, ElementsAre(functions(20)));
}

TEST(EditWindows, ALargerOneIsEditedPartByPart) {
  const std::string text = functions(60);
  const Change change = [](std::string line) {
    const std::size_t at = line.find("return y");
    return at == std::string::npos ? line : line.replace(at, 8, "return -y");
  };
  const Result<Outcome> outcome = edit(request(text), change, 4096);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->result.text, changed(text, change));
  EXPECT_EQ(outcome->result.finish_reason, FinishReason::kStop);
  EXPECT_FALSE(outcome->result.breaks_syntax());
  EXPECT_GT(outcome->asked.size(), 3);
  std::string all;
  for (const std::string& part : outcome->asked) {
    EXPECT_TRUE(part.starts_with("def ") || part.starts_with("import")) << part;
    all += part;
  }
  EXPECT_EQ(all, text);
  ASSERT_EQ(outcome->seen.size(), 60);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(outcome->seen[i].id, i);
  EXPECT_TRUE(std::ranges::is_sorted(outcome->fractions));
  EXPECT_LE(outcome->fractions.back(), 1);
  EXPECT_GT(outcome->fractions.back(), 0.95);
  EXPECT_TRUE(std::ranges::is_sorted(outcome->lines, {}, &LinesPassed::passed));
  for (const LinesPassed& lines : outcome->lines)
    EXPECT_EQ(lines.of, std::ranges::count(text, '\n'));
  EXPECT_GT(outcome->lines.back().passed, outcome->lines.back().of * 9 / 10);
  EXPECT_GT(outcome->result.statistics.new_tokens, static_cast<int>(text.size()));
}

TEST(EditWindows, OtherScopesAndLinesBeyondAnyPartAreRefused) {
  const Change nothing = [](const std::string& line) { return line; };
  EditRequest selection = request(functions(60));
  selection.scope = EditScope::kSelection;
  selection.range = ByteRange{0, selection.document->text().size()};
  EXPECT_THAT(edit(selection, nothing, 4096).error().message(), HasSubstr("too long to edit"));
  const std::string text = functions(40) + "x = '" + std::string(3000, 'x') + "'\n";
  EXPECT_THAT(edit(request(text), nothing, 4096).error().message(), HasSubstr("too long to edit"));
}

TEST(EditWindows, TheTokenLimitIsThatOfAllParts) {
  EditRequest limited = request(functions(60));
  limited.max_new_tokens = 1500;
  const Result<Outcome> outcome = edit(
      limited, [](const std::string& line) { return "# " + line; }, 4096);
  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->result.finish_reason, FinishReason::kLength);
  EXPECT_EQ(outcome->result.statistics.new_tokens, 1500);
  EXPECT_THAT(outcome->result.text, HasSubstr("\n    return y\n"));
}

TEST(EditWindows, OneThatIsCancelledKeepsWhatWasFinal) {
  const std::string text = functions(60);
  std::stop_source stop;
  int n_parts = 0;
  const auto engine = scripted_engine(
      [&](const ScriptedPrompt& prompt) {
        if (++n_parts == 3) stop.request_stop();
        return changed(asked_lines(prompt),
                       [](std::string line) {
                         const std::size_t at = line.find("return y");
                         return at == std::string::npos ? line : line.replace(at, 8, "return -y");
                       }) +
               prompt.fence;
      },
      {}, 4096);
  const Result<EditResult> result = run_edit(*engine, request(text), {}, stop.get_token());
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(n_parts, 3);
  EXPECT_THAT(result->text, HasSubstr("return -y"));
  EXPECT_THAT(result->text, HasSubstr("x + 59\n    return y\n"));
  EXPECT_EQ(std::ranges::count(result->text, '\n'), std::ranges::count(text, '\n'));
}

// Line endings, a byte order mark, a missing final newline, deleted and new lines: an edit in parts
// gives the same file as one pass.
TEST(EditWindows, WhereAFileIsCutIsNotSeenInTheResult) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    std::mt19937 random(seed);
    std::string text = random() % 3 ? "" : "\xEF\xBB\xBF";
    const int n_lines = 80 + static_cast<int>(random() % 80);
    for (int i = 0; i < n_lines; ++i) {
      const bool blank = random() % 6 == 0;
      if (!blank)
        text += (random() % 4 ? "    x" : "def f") + std::to_string(random() % 40) + "():";
      if (!blank) text += std::string(random() % 60, 'y');
      if (i + 1 < n_lines || random() % 2) text += seed % 3 == 0 && random() % 2 ? "\r\n" : "\n";
    }
    const std::size_t salt = random();
    const Change change = [salt](const std::string& line) -> std::string {
      switch ((std::hash<std::string>()(line) ^ salt) % 23) {
        case 0:
          return "";
        case 1:
          return "new " + line;
        case 2:
          return line + "    one more\n";
        default:
          return line;
      }
    };
    const Result<Outcome> parts = edit(request(text), change, 4096);
    const Result<Outcome> whole = edit(request(text), change, 1 << 16);
    ASSERT_TRUE(parts) << parts.error().message();
    ASSERT_TRUE(whole);
    ASSERT_GT(parts->asked.size(), 1);
    ASSERT_EQ(whole->asked.size(), 1);
    std::string all;
    for (const std::string& part : parts->asked) all += part;
    ASSERT_EQ(all, whole->asked.front()) << "seed " << seed;
    ASSERT_EQ(parts->result.text, whole->result.text) << "seed " << seed;
    std::vector<TextEdit> seen;
    for (const Hunk& hunk : parts->seen) seen.push_back(hunk.edit);
    ASSERT_EQ(apply_edits(text, seen), whole->result.text) << "seed " << seed;
  }
}

}  // namespace
}  // namespace redraft
