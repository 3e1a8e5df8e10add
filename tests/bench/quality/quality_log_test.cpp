#include "bench/quality/quality_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/bench/quality/quality_kit.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class QualityLogTest : public testing::Test {
 protected:
  Result<QualityLog> open(int setting = 1) const {
    return QualityLog::open(file_, {{"setting", setting}}, [&](JsonValue stored) -> Result<void> {
      if (*stored.find("setting")->integer(0, 9) == setting) return {};
      return Error("another setting");
    });
  }
  std::string text() const {
    std::ifstream stream(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void append(const std::string& more) const {
    std::ofstream(file_, std::ios::binary | std::ios::app) << more;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "out.jsonl";
};

TEST_F(QualityLogTest, GoesOnAfterATornLine) {
  {
    auto log = open();
    ASSERT_TRUE(log) << log.error().message();
    ASSERT_TRUE(log->append(judged("a", true)));
  }
  const std::string whole = text();
  append(R"({"measure":"edits","id":"b)");
  auto log = open();
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_THAT(log->records(), SizeIs(1));
  EXPECT_EQ(text(), whole);
  ASSERT_TRUE(log->append(judged("b", false)));
  EXPECT_THAT(log->records(), SizeIs(2));
  const auto file = read_quality_file(file_);
  ASSERT_TRUE(file) << file.error().message();
  EXPECT_THAT(file->records, SizeIs(2));
  EXPECT_EQ(file->settings.at("setting"), 1);
  EXPECT_EQ(file->records.at({Measure::kEdits, "b", ""}).edit()->passed, false);
}

TEST_F(QualityLogTest, OfOtherSettingsIsNotContinued) {
  ASSERT_TRUE(open(1)->append(judged("a", true)));
  append("{torn");
  const std::string before = text();
  const auto log = open(2);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().message(), "another setting");
  EXPECT_EQ(text(), before) << "not even the torn line goes";
}

TEST_F(QualityLogTest, ThatIsSomethingElseStaysAsItIs) {
  for (const char* other : {"precious", "precious\nlines\n", "{\"quality\": 3}\n", "{}\n"}) {
    folder_.write("out.jsonl", other);
    EXPECT_FALSE(open()) << other;
    EXPECT_EQ(text(), other);
    EXPECT_FALSE(read_quality_file(file_)) << other;
  }
  EXPECT_THAT(open().error().message(), HasSubstr("redraft bench quality --out"));
}

TEST_F(QualityLogTest, TornInItsFirstLineBeginsAgain) {
  folder_.write("out.jsonl", R"({"quality":{"set)");
  ASSERT_TRUE(open());
  EXPECT_EQ(text(), "{\"quality\":{\"setting\":1}}\n");
}

TEST_F(QualityLogTest, IsOneProcesssAtATime) {
  const auto first = open();
  ASSERT_TRUE(first);
  EXPECT_THAT(open().error().message(), HasSubstr("another run"));
}

TEST_F(QualityLogTest, IsReadWithoutItsTornLine) {
  ASSERT_TRUE(open()->append(judged("a", true)));
  append("{torn");
  const std::string before = text();
  EXPECT_THAT(read_quality_file(file_)->records, SizeIs(1));
  EXPECT_EQ(text(), before);
}

}  // namespace
}  // namespace redraft
