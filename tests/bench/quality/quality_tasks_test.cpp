#include "bench/quality/quality_tasks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/bench/quality/quality_kit.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class QualityTasks : public testing::Test {
 protected:
  QualityTasks() {
    folder_.write(
        "edits.jsonl",
        R"({"id": "e1", "instruction": "Go.", "before": "a\nb\nc\n", "after": "A\nb\nC\n"})"
        "\n");
    folder_.write(
        "commits.jsonl",
        R"({"id": "c1", "instruction": "Go.", "before": "a\nb\nc\n", "after": "A\nb\nC\n",)"
        R"("commit": "12", "recent_edits": [{"diff": "@@ -1 +1 @@\n-0\n+a\n"}]})"
        "\n");
    folder_.write("places.jsonl", R"({"id": "p1", "prefix": "a", "reference": "b"})"
                                  "\n");
  }

  // "MEASURE SET ID QUESTION" of each.
  std::vector<std::string> read(const std::vector<std::string>& names,
                                const QualityChoice& choice = {}) {
    std::vector<std::string> files;
    for (const std::string& name : names) files.push_back((folder_ / name).string());
    const Result<QualityItems> items = read_quality_items(files, choice);
    if (!items) return {items.error().message()};
    skipped_ = items->skipped;
    std::vector<std::string> found;
    for (const QualityItem& item : items->items) {
      found.push_back(std::string(to_string(item.key.measure)) + " " + item.set + " " +
                      item.key.id + " " + item.key.question);
    }
    return found;
  }

  TempFolder folder_;
  std::vector<SkippedTask> skipped_;
};

TEST_F(QualityTasks, AreMeasuredByTheirFields) {
  EXPECT_THAT(
      read({"places.jsonl", "edits.jsonl", "commits.jsonl"}),
      ElementsAre("edits edits e1 ", "edits commits c1 ", "completion places p1 ",
                  "next-edits commits c1 after 1 hunk", "next-edits commits c1 after the commit",
                  "next-edits commits c1 after the commit before"));
  EXPECT_THAT(skipped_, IsEmpty());
}

TEST_F(QualityTasks, OfOneMeasure) {
  EXPECT_THAT(read({"edits.jsonl", "commits.jsonl"}, {.measures = {Measure::kEdits}}),
              ElementsAre("edits edits e1 ", "edits commits c1 "));
  EXPECT_THAT(
      read({"edits.jsonl"}, {.measures = {Measure::kNextEdits}}),
      ElementsAre("next-edits edits e1 after 1 hunk", "next-edits edits e1 after the commit"))
      << "asked for alone, of any edit";
  EXPECT_THAT(read({"places.jsonl"}, {.measures = {Measure::kEdits}}), IsEmpty());
}

TEST_F(QualityTasks, OfOneHalfAreNoneOfTheOther) {
  std::string lines;
  for (int i = 0; i < 3; ++i) {
    for (const Half half : kHalves)
      lines += R"({"id": ")" + id_in(half, i) + R"(", "prefix": "a", "reference": "b"})" + "\n";
  }
  folder_.write("many.jsonl", lines);
  const auto dev = read({"many.jsonl"}, {.half = Half::kDev});
  ASSERT_THAT(dev, SizeIs(3));
  EXPECT_THAT(dev[0], HasSubstr(id_in(Half::kDev, 0)));
  const auto test = read({"many.jsonl"}, {.half = Half::kTest});
  ASSERT_THAT(test, SizeIs(3));
  for (const std::string& each : test) EXPECT_THAT(dev, testing::Not(testing::Contains(each)));
  EXPECT_THAT(read({"many.jsonl"}, {.half = Half::kTest, .limit = 2}), SizeIs(2));
}

TEST_F(QualityTasks, OfEachFileAreLimited) {
  folder_.write("more.jsonl", R"({"id": "p2", "prefix": "a"})"
                              "\n"
                              R"({"id": "p3", "prefix": "a"})"
                              "\n");
  EXPECT_THAT(
      read({"places.jsonl", "more.jsonl", "commits.jsonl"}, {.limit = 1}),
      ElementsAre("edits commits c1 ", "completion places p1 ", "completion more p2 ",
                  "next-edits commits c1 after 1 hunk", "next-edits commits c1 after the commit",
                  "next-edits commits c1 after the commit before"));
}

TEST_F(QualityTasks, ThatNoMeasureConcernsAreNamed) {
  folder_.write("other.jsonl", R"({"id": "g", "prompt": "def f"})"
                               "\n");
  EXPECT_THAT(read({"other.jsonl"}), IsEmpty());
  ASSERT_THAT(skipped_, SizeIs(1));
  EXPECT_EQ(skipped_[0].id, "g");
  EXPECT_EQ(skipped_[0].reason, "has no text 'before' to edit, and has no 'prefix'");
}

TEST_F(QualityTasks, HaveOneIdEach) {
  EXPECT_THAT(read({"places.jsonl", "places.jsonl"}),
              ElementsAre(HasSubstr("the id 'p1' is in an earlier file")));
}

}  // namespace
}  // namespace redraft
