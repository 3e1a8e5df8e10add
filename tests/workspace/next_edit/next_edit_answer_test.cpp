#include "workspace/next_edit/next_edit_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace redraft {
namespace {

using testing::ElementsAreArray;

using Lines = std::vector<std::string>;

constexpr const char* kNone = "no edit";

struct Reading {
  std::string window = kNone;  // lines joined by "\n"
  std::size_t read = 0;        // bytes of the answer until no more was needed
  bool early = false;          // no more was needed
};

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += (&line == &lines[0] ? "" : "\n") + line;
  return text;
}

class Asked {
 public:
  Asked(std::string_view format, const Lines& lines, int cursor_line = 0)
      : format_(*find_next_edit_format(format, "")) {
    const std::vector<std::string_view> views(lines.begin(), lines.end());
    prompt_ = *make_next_edit_prompt(format_,
                                     {.path = "a.py", .lines = views, .cursor_line = cursor_line});
  }

  // Read one byte at a time, as a scripted model writes them.
  Reading read(std::string_view answer, bool complete = true) const {
    NextEditAnswer reader(format_, prompt_);
    Reading reading;
    bool goes_on = true;
    while (goes_on && reading.read < answer.size())
      goes_on = reader.add(answer.substr(reading.read++, 1));
    reading.early = !goes_on;
    if (const auto window = reader.window(complete && goes_on)) reading.window = joined(*window);
    return reading;
  }
  std::string window(std::string_view answer, bool complete = true) const {
    return read(answer, complete).window;
  }
  const NextEditPrompt& prompt() const { return prompt_; }

 private:
  const NextEditFormat& format_;
  NextEditPrompt prompt_;
};

const Lines kCode = {"def first(value):", "    return value + 1", "",
                     "def second(value):", "    return value + 2"};

TEST(NextEditAnswer, IsTheWindowAnew) {
  const Asked asked("sweep", kCode);
  const std::string changed =
      "def first(value):\n    return value + 1\n\ndef second(value):\n    return value + 3";
  EXPECT_EQ(asked.window(changed + "\n"), changed);
  EXPECT_EQ(asked.window(changed), changed) << "without its last line end";
  EXPECT_EQ(asked.window("only this\n"), "only this");
}

TEST(NextEditAnswer, WithoutChangesIsNotAnEdit) {
  for (const char* format : {"sweep", "sweep-v2", "zeta", "zeta-2", "zeta-2.1", "instinct"}) {
    const Asked asked(format, kCode, 3);
    const std::string& draft = asked.prompt().draft;
    EXPECT_EQ(asked.window(draft), kNone) << format;
    for (const char* empty : {"", "\n", "  \n\n"}) EXPECT_EQ(asked.window(empty), kNone) << format;
  }
}

TEST(NextEditAnswer, EndsOnceItHasRejoinedTheWindow) {
  Lines lines;
  for (int i = 0; i < 21; ++i) lines.push_back("    call_number_" + std::to_string(i) + "()");
  const Asked asked("sweep", lines, 10);
  Lines after = lines;
  after[3] = "    call_number_3(changed)";
  after[18] = "    call_number_18(changed)";
  const Reading reading = asked.read(joined(after) + "\n");
  Lines first = lines;
  first[3] = after[3];
  EXPECT_EQ(reading.window, joined(first)) << "the first edit, and the rest as it is";
  EXPECT_LT(reading.read, joined(after).size() / 3);
}

// Whatever the model writes: up to where it is read it is taken as it is, and what is behind that
// is the window's own.
TEST(NextEditAnswer, TakesWhatWasWrittenExactly) {
  std::mt19937 random(5);
  int n_early = 0;
  for (int round = 0; round < 2000; ++round) {
    Lines lines;
    for (int i = 0; i < 12; ++i)
      lines.push_back(random() % 4 == 0 ? "}" : "line " + std::to_string(random() % 9));
    Lines after = lines;
    for (auto n = random() % 3; n > 0; --n) {
      const auto at = static_cast<std::ptrdiff_t>(random() % after.size());
      if (random() % 3 == 0) {
        after.insert(after.begin() + at, "new " + std::to_string(random() % 9));
      } else if (random() % 2 == 0 && after.size() > 1) {
        after.erase(after.begin() + at);
      } else {
        after[static_cast<std::size_t>(at)] = "changed";
      }
    }
    const Asked asked("sweep", lines, 5);
    const std::string answer = joined(after) + "\n";
    const Reading reading = asked.read(answer);
    if (after == lines) {
      ASSERT_EQ(reading.window, kNone);
    } else if (reading.early) {
      ++n_early;
      const std::string read = answer.substr(0, reading.read);
      ASSERT_TRUE((reading.window + "\n").starts_with(read)) << reading.window << "\n--\n" << read;
      const std::string rest = (reading.window + "\n").substr(read.size());
      ASSERT_TRUE((joined(lines) + "\n").ends_with(rest));
    } else {
      ASSERT_EQ(reading.window + "\n", answer);
    }
  }
  EXPECT_GT(n_early, 500);
}

TEST(NextEditAnswer, CutShortIsOneOnlyIfItsEditIsKnown) {
  const Asked asked("sweep", kCode);
  EXPECT_EQ(asked.window("def first(value):\n    return va", false), kNone);
  EXPECT_EQ(asked.window("def first(other):\n    return other", false), kNone);
  const Asked seed("zeta-2", kCode);
  EXPECT_EQ(seed.window("def first(other):\n>>>>>>> UPDATED", false), kNone) << "not its end yet";
  EXPECT_EQ(seed.window("def first(other):\n>>>>>>> UPDATED\n", false), "def first(other):");
  const Asked span("zeta-2.1", kCode);
  EXPECT_EQ(span.window("<|marker_1|>def first(other):\n", false), kNone);
}

TEST(NextEditAnswer, WordsThatMeanNothingAreNotCode) {
  for (const char* format : {"zeta-2", "zeta-2.1"}) {
    const Asked asked(format, kCode);
    for (const char* answer : {"NO_EDITS", "NO_EDITS\n>>>>>>> UPDATED\n", "KEEP_PREVIOUS\n",
                               "def first(value):\nNO_EDITS\n    return value + 1\n"})
      EXPECT_EQ(asked.window(answer), kNone) << format << ": " << answer;
  }
  Lines code = kCode;
  code.emplace_back("NO_EDITS = 1");
  const Asked asked("zeta-2", code);
  EXPECT_EQ(asked.window("NO_EDITS = 2\n>>>>>>> UPDATED\n"), "NO_EDITS = 2") << "its own code";
}

TEST(NextEditAnswer, StandsBetweenTheFormatsMarks) {
  const Asked zeta("zeta", {"a", "b", "c"});
  EXPECT_EQ(zeta.window("<|editable_region_start|>\na\nx\nc\n<|editable_region_end|>\n```"),
            "a\nx\nc");
  EXPECT_EQ(zeta.window("a\nx\nc\n"), "a\nx\nc") << "without them";
  EXPECT_EQ(zeta.window("<|editable_region_start|>\na<|user_cursor_is_here|>\nx\nc\n"
                        "<|editable_region_end|>"),
            "a\nx\nc");
  const Asked seed("zeta-2", {"a", "b", "c"});
  EXPECT_EQ(seed.window("a\nx<|user_cursor|>\nc\n>>>>>>> UPDATED\nb\n"), "a\nx\nc");
}

TEST(NextEditAnswer, ASpanIsPutBetweenItsMarks) {
  Lines lines;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 6; ++j) lines.push_back("line " + std::to_string(10 * i + j));
    lines.emplace_back();
  }
  const Asked asked("zeta-2.1", lines);
  ASSERT_EQ(asked.prompt().marks.size(), 4U);
  const auto with = [&](int begin, int end, const Lines& in_place) {
    Lines all(lines.begin(), lines.begin() + begin);
    all.insert(all.end(), in_place.begin(), in_place.end());
    all.insert(all.end(), lines.begin() + end, lines.end());
    return joined(all);
  };
  EXPECT_EQ(asked.window("<|marker_2|>x\ny\n<|marker_3|>"), with(7, 14, {"x", "y"}));
  EXPECT_EQ(asked.window("<|marker_2|>x\n<|marker_3|>y\n<|marker_4|>"), with(7, 21, {"x", "y"}));
  EXPECT_EQ(asked.window("<|marker_3|>x<|marker_4|>"), with(14, 21, {"x"})) << "the last line";
  EXPECT_EQ(asked.window("<|marker_1|><|marker_2|>"), with(0, 7, {})) << "taken away";
  for (const char* none :
       {"<|marker_2|><|marker_2|>", "<|marker_2|>x\n<|marker_2|>", "<|marker_3|>x\n<|marker_2|>",
        "<|marker_2|>x\n", "x\n", "<|marker_0|>x\n<|marker_2|>", "<|marker_2|>x\n<|marker_5|>",
        "<|marker_99999999999999999999999|>x\n<|marker_2|>", "<|marker_x|>x\n<|marker_|>"})
    EXPECT_EQ(asked.window(none), kNone) << none;
}

TEST(NextEditAnswer, BeginsWithWhatThePromptGives) {
  const Asked asked("sweep-v2", kCode, 3);
  ASSERT_EQ(asked.prompt().prefilled, 3);
  EXPECT_EQ(asked.window("def second(value):\n    return value + 3\n"),
            "def first(value):\n    return value + 1\n\ndef second(value):\n    return value + 3");
}

TEST(NextEditAnswer, DropsInsertionsAboveTheCursorIfTheFormatSaysSo) {
  const std::string answer = "# above\ndef second(value):\n    return value + 2\n";
  EXPECT_EQ(Asked("sweep-v2", kCode, 3).window(answer), kNone);
  EXPECT_NE(Asked("sweep-v2", kCode, 3)
                .window("def second(value):\n    # below\n"
                        "    return value + 2\n"),
            kNone);
}

TEST(NextEditAnswer, LineEndsAreThoseOfTheDocument) {
  const Asked asked("sweep", {"a", "b", "c"});
  EXPECT_EQ(asked.window("a\r\nx\r\nc\r\n"), "a\nx\nc");
  EXPECT_EQ(asked.window("a\r\nb\r\nc\r\n"), kNone);
  EXPECT_EQ(Asked("zeta", {"a", "b"})
                .window("<|editable_region_start|>\r\na\r\nx\r\n"
                        "<|editable_region_end|>\r\n"),
            "a\nx");
}

TEST(NextEditAnswer, WhatIsNoTextIsNoEdit) {
  const Asked asked("sweep", {"a", "b", "c"});
  EXPECT_EQ(asked.window("a\n\xFF\nc\n"), kNone);
  EXPECT_EQ(asked.window(std::string_view("a\n\0\nc\n", 6)), kNone);
  EXPECT_EQ(asked.window("a\n<|file_sep|>\nc\n"), kNone) << "a part of another prompt";
  EXPECT_EQ(Asked("instinct", {"a", "b"}).window("a\n<|editable_region_end|>\n"), kNone);
}

}  // namespace
}  // namespace redraft
