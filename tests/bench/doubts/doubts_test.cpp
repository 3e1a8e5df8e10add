#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bench/doubts/changed_file.h"
#include "bench/doubts/damaged_texts.h"
#include "bench/doubts/doubt_tables.h"
#include "bench/doubts/undefined_texts.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A file of two functions, of which the change rewrites a line.
BenchTask task() {
  std::string before = "def first(items):\n    total = 0\n";
  for (int i = 0; i < 24; ++i) {
    const std::string n = std::to_string(i);
    before += "    part" + n + " = items[" + n + "]\n    total += part" + n + "\n";
  }
  before += "    return total\n\n\ndef second(items):\n    return first(items)\n";
  std::string after = before;
  const std::string line = "    return total\n";
  after.replace(after.find(line), line.size(), "    return max(total, 0)\n");
  BenchTask task;
  task.id = "a";
  task.language = "python";
  task.instruction = "return at least 0";
  task.file = EditText{before, after};
  return task;
}

TEST(DoubtsBench, ACorrectChangeHasNoDoubtAndItsDamagesHave) {
  const ChangedFile file = *changed_file(task());
  EXPECT_THAT(doubted_text(file, file.after, DoubtBasis::kTree).doubts, IsEmpty());
  EXPECT_THAT(doubted_text(file, file.after, DoubtBasis::kLines).doubts, IsEmpty());
  const std::vector<DamagedText> texts = damaged_texts(file);
  EXPECT_THAT(texts, SizeIs(damages().size()));
  const DoubtedText correct;
  for (const DamagedText& damaged : texts) {
    EXPECT_NE(damaged.text, file.after) << damaged.damage;
    for (const DoubtBasis basis : {DoubtBasis::kTree, DoubtBasis::kLines})
      EXPECT_TRUE(is_found(doubted_text(file, damaged.text, basis), correct)) << damaged.damage;
  }
}

TEST(DoubtsBench, OnlyADoubtThatTheCorrectTextDoesNotHaveFindsADamage) {
  DoubtedText correct, damaged;
  correct.doubts = damaged.doubts = {{Doubt::Kind::kLost, "the definition of 'a' is gone", {0}}};
  EXPECT_FALSE(is_found(damaged, correct));
  damaged.doubts.push_back({Doubt::Kind::kLost, "the definition of 'b' is gone", {0}});
  EXPECT_TRUE(is_found(damaged, correct));
}

TEST(DoubtsBench, ANameIsMadeUndefinedWhereItStandsForSomethingOfTheFile) {
  const std::vector<ChangedFile> files = {*changed_file(task())};
  const std::vector<UndefinedText> texts = undefined_texts(files, 150, 1);
  ASSERT_THAT(texts, SizeIs(1));  // `total`; `max` is a builtin
  EXPECT_EQ(texts[0].name, "other_total");
  EXPECT_EQ(texts[0].line, "    return max(other_total, 0)");
  EXPECT_TRUE(is_found(doubted_text(files[0], texts[0].text, DoubtBasis::kTree), texts[0]));
  EXPECT_THAT(undefined_texts(files, 0, 1), IsEmpty());
}

// A part of a file is judged with its own lines, and no name in it is made undefined.
TEST(DoubtsBench, APartOfAFileStandsForOneThatIsTooLarge) {
  BenchTask part = task();
  part.region = part.file;
  part.file.reset();
  const ChangedFile file = *changed_file(part);
  EXPECT_FALSE(file.is_whole);
  EXPECT_THAT(undefined_texts({file}, 150, 1), IsEmpty());
  part.region->after.reset();
  EXPECT_FALSE(changed_file(part));
}

TEST(DoubtsBench, TheRegionOfATaskIsWhatIsDamaged) {
  BenchTask one = task();
  const std::string& text = one.file->before;
  one.region = EditText{text.substr(text.find("def second")), std::nullopt};
  const ChangedFile file = *changed_file(one);
  EXPECT_EQ(file.new_end - file.new_first, 2U);
  EXPECT_THAT(damaged_texts(file), IsEmpty());  // too short
}

TEST(DoubtsBench, TablesGiveSharesByLanguageKindAndDamage) {
  const ChangedFile file = *changed_file(task());
  DoubtTables tables;
  DoubtedText doubted;
  doubted.doubts = {{Doubt::Kind::kLost, "gone", {0}}};
  doubted.hunks = 2;
  doubted.left = 1;
  tables.add_correct(file, doubted, DoubtBasis::kTree);
  tables.add_correct(file, {}, DoubtBasis::kLines);
  tables.add_damaged("ends too early", true, DoubtBasis::kTree);
  tables.add_damaged("ends too early", false, DoubtBasis::kTree);
  const UndefinedText undefined{&file, "other_total", "", ""};
  tables.add_undefined(undefined, true);
  const std::string text = tables.text();
  EXPECT_THAT(text, HasSubstr("| python | 1 of 1 (100.0 %) | 1 of 2 (50.0 %) | 0 of 1 (0.0 %) |"));
  EXPECT_THAT(text, HasSubstr("| lost | 1 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| ends too early | 1 of 2 (50.0 %) | 0 of 0 (0.0 %) |"));
  EXPECT_THAT(text, HasSubstr("| all | 0 of 1 (0.0 %) | 1 of 1 (100.0 %) |"));
}

}  // namespace
}  // namespace redraft
