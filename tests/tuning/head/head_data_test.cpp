#include "tuning/head/head_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/tuning/head/rows_kit.h"
#include "tuning/head/acceptance_curve.h"
#include "tuning/head/head_start.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;

class Data : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<RowWriter> writer = RowWriter::open(folder_.path(), shape_, "s");
    ASSERT_TRUE(writer);
    TextRows rows = random_rows(shape_, 3, 0, 1);
    rows.labels[0] = {.newest = 5, .own = true, .source = 0, .count = 3, .next = {7, 9, 7}};
    rows.labels[1] = {.newest = 6, .own = true, .source = 0, .count = 1, .next = {7, 11, 11}};
    rows.labels[2] = {.newest = 7, .own = true, .source = 0, .count = 2, .next = {200, 201, 7}};
    ASSERT_TRUE(writer->add(some_tokens(4, 0), rows));
    ASSERT_TRUE(writer->save());
  }

  TempFolder folder_;
  RecordedShape shape_ = tiny_rows_shape();
  TinyTarget target_;
};

TEST_F(Data, TheVocabularyIsWhatFollowsMostOften) {
  const Result<RecordedRows> rows = RecordedRows::open(folder_.path());
  ASSERT_TRUE(rows);
  // 7 is learnt three times, 9, 200 and 201 once; behind a row's count nothing is learnt.
  EXPECT_THAT(frequent_tokens(*rows, std::vector<std::size_t>{0, 1, 2}, 3), ElementsAre(7, 9, 200));
  EXPECT_THAT(frequent_tokens(*rows, std::vector<std::size_t>{0, 1}, 5),
              ElementsAre(0, 1, 2, 7, 9));
}

TEST_F(Data, ABatchHasFeaturesEmbeddingsAndAnswers) {
  const Result<RecordedRows> rows = RecordedRows::open(folder_.path());
  ASSERT_TRUE(rows);
  const HeadData data(*rows, target_.rows(), {7, 11, 201});
  EXPECT_TRUE(data.teaches(0));
  EXPECT_TRUE(data.teaches(1));
  EXPECT_TRUE(data.teaches(2));
  EXPECT_FALSE(HeadData(*rows, target_.rows(), {7, 9}).teaches(2));
  const Result<HeadBatch> batch = data.batch(std::vector<std::size_t>{2, 0, 1});
  ASSERT_TRUE(batch);
  EXPECT_THAT(batch->answers, ElementsAre(-1, 2, -1, 0, -1, 0, 0, -1, -1));
  ASSERT_EQ(batch->features.size(), 3U * 128);
  EXPECT_EQ(batch->features[128], rows->features(0)[0]);
  std::vector<float> embedding(64);
  target_.rows().embedding(7, embedding);
  EXPECT_TRUE(std::equal(embedding.begin(), embedding.end(), batch->embeddings.begin()));
}

TEST_F(Data, FeaturesThatAreNoNumbersAreRefused) {
  for (const int bad : {0x7C00, 0xFC00, 0x7E00}) {
    const TempFolder folder;
    TextRows text = random_rows(shape_, 3, 0, 1);
    text.features[128 + 17] = static_cast<std::uint16_t>(bad);
    Result<RowWriter> writer = RowWriter::open(folder.path(), shape_, "s");
    ASSERT_TRUE(writer && writer->add(some_tokens(4, 0), text) && writer->save());
    const Result<RecordedRows> rows = RecordedRows::open(folder.path());
    ASSERT_TRUE(rows);
    const HeadData data(*rows, target_.rows(), {7});
    EXPECT_TRUE(data.batch(std::vector<std::size_t>{0, 2}));
    const Result<HeadBatch> batch = data.batch(std::vector<std::size_t>{0, 1});
    ASSERT_FALSE(batch);
    EXPECT_EQ(batch.error().message(),
              folder.path().string() + ": row 1 has a number that is not finite");
  }
}

TEST_F(Data, WholeSourcesAreHeldOut) {
  const TempFolder folder;
  write_rows(folder.path(), 200, 4);
  const Result<RecordedRows> rows = RecordedRows::open(folder.path());
  ASSERT_TRUE(rows);
  const SplitRows split = split_rows(*rows, 0.25);
  std::set<std::int32_t> learnt, held_out;
  for (const std::size_t row : split.learnt) learnt.insert(rows->labels(row).source);
  for (const std::size_t row : split.held_out) {
    held_out.insert(rows->labels(row).source);
    EXPECT_TRUE(rows->labels(row).own);
  }
  EXPECT_EQ(learnt.size() + held_out.size(), 200U);
  EXPECT_NEAR(static_cast<double>(held_out.size()), 50, 20);
  EXPECT_EQ(split.held_out.size(), held_out.size() * 3);  // every fourth row is not the target's
  EXPECT_TRUE(split_rows(*rows, 0).held_out.empty());
  EXPECT_TRUE(split_rows(*rows, 1).learnt.empty());
  const std::vector<std::size_t> some = some_of(split.learnt, 10);
  EXPECT_EQ(some.size(), 10U);
  EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
  EXPECT_EQ(some_of(split.held_out, 1 << 20), split.held_out);
}

TEST(HeadStart, ReadsAThirdTwoThirdsAndTheLast) {
  EXPECT_THAT(default_head_layers(28), ElementsAre(9, 19, 27));
  EXPECT_THAT(default_head_layers(30), ElementsAre(10, 20, 29));
  EXPECT_THAT(default_head_layers(3), ElementsAre(1, 2));
  EXPECT_THAT(default_head_layers(1), ElementsAre(0));
}

TEST(AcceptanceCurve, IsATableAndAPicture) {
  std::vector<StepRecord> steps(5);
  steps[1].held_out = 3.5;
  steps[1].more = {1.25, 0.2, 0.125};
  steps[4].held_out = 2.5;
  steps[4].more = {1.75, 0.6, 0.25};
  const TrainingPlan plan{.examples = 10, .batch = 4, .steps = 5};
  EXPECT_EQ(acceptance_table(steps, plan),
            "step,rows,loss,acceptance,accuracy_1,accuracy_2\n"
            "2,8,3.500000,1.2500,0.2000,0.1250\n"
            "5,18,2.500000,1.7500,0.6000,0.2500\n");
  const std::string picture = acceptance_curve(steps, plan, "a <target>");
  EXPECT_NE(picture.find("a &lt;target>"), std::string::npos);
  EXPECT_NE(picture.find("rows learnt"), std::string::npos);
  EXPECT_EQ(acceptance_table({}, plan), "step,rows,loss,acceptance\n");
  EXPECT_NE(acceptance_curve({}, plan, "none").find("</svg>"), std::string::npos);
}

}  // namespace
}  // namespace redraft
