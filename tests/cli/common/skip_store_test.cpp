#include "cli/common/skip_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/kit/temp_folder.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

class SkipStoreTest : public testing::Test {
 protected:
  void SetUp() override { write("model.gguf", "weights"); }
  fs::path write(const std::string& name, const std::string& content) const {
    const fs::path file = folder_.path() / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }
  // The one file of the store.
  fs::path stored() const { return *fs::directory_iterator(folder_.path() / "new" / "skips"); }

  TempFolder folder_;
  SkipStore store_{folder_.path() / "new" / "skips"};
  fs::path model_ = folder_.path() / "model.gguf";
};

TEST_F(SkipStoreTest, GivesBackWhatWasStoredOfAModel) {
  EXPECT_EQ(store_.load(model_), "");
  ASSERT_TRUE(store_.store(model_, "a1+m2-3"));
  EXPECT_EQ(store_.load(model_), "a1+m2-3");
  ASSERT_TRUE(store_.store(model_, "m7"));
  EXPECT_EQ(store_.load(model_), "m7");
  EXPECT_EQ(store_.load(write("other.gguf", "weights")), "");
  EXPECT_EQ(store_.load(folder_.path() / "missing.gguf"), "");
}

TEST_F(SkipStoreTest, AnotherFileOfTheSameNameIsAnotherModel) {
  ASSERT_TRUE(store_.store(model_, "a1"));
  const auto time = fs::last_write_time(model_);
  write("model.gguf", "more weights");
  fs::last_write_time(model_, time);
  EXPECT_EQ(store_.load(model_), "");
  write("model.gguf", "weights");
  fs::last_write_time(model_, time + std::chrono::hours(1));
  EXPECT_EQ(store_.load(model_), "");
  fs::last_write_time(model_, time);
  EXPECT_EQ(store_.load(model_), "a1");
}

TEST_F(SkipStoreTest, ADamagedFileIsNone) {
  ASSERT_TRUE(store_.store(model_, "a1"));
  std::ifstream in(stored());
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const auto& [from, to] : {std::pair("\"a1\"", "\"x\""), std::pair("\"a1\"", "1"),
                                 std::pair("\"format\": 1", "\"format\": 2"),
                                 std::pair("model.gguf", "nodel.gguf"), std::pair("}", "")}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string(from).size(), to);
    std::ofstream(stored(), std::ios::binary) << damaged;
    EXPECT_EQ(store_.load(model_), "") << to;
  }
  std::ofstream(stored(), std::ios::binary) << text;
  EXPECT_EQ(store_.load(model_), "a1");
}

}  // namespace
}  // namespace redraft::cli
