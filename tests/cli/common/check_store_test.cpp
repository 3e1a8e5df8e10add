#include "cli/common/check_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "tests/kit/temp_folder.h"

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

class CheckStoreTest : public testing::Test {
 protected:
  std::string text() const {
    std::ifstream in(store_.file_of(key_));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const {
    std::ofstream(store_.file_of(key_), std::ios::binary) << text;
  }

  TempFolder folder_;
  CheckStore store_{folder_.path() / "new" / "checks"};
  const CheckStore::Key key_{.model = "weights\nkernels", .build = "1"};
  const CheckVerdict verdict_{.perplexity = 12.5, .fault = "It is \"bad\"."};
};

TEST_F(CheckStoreTest, GivesBackWhatWasStored) {
  EXPECT_FALSE(store_.load(key_));
  ASSERT_TRUE(store_.store(key_, verdict_));
  EXPECT_EQ(store_.load(key_), verdict_);
  ASSERT_TRUE(store_.store(key_, {.perplexity = 2}));
  EXPECT_EQ(store_.load(key_), (CheckVerdict{.perplexity = 2}));
  EXPECT_FALSE(store_.load({.model = "other weights", .build = "1"}));
}

TEST_F(CheckStoreTest, AnotherBuildChecksAgainAndReplacesTheResult) {
  ASSERT_TRUE(store_.store(key_, verdict_));
  const CheckStore::Key other{.model = key_.model, .build = "2"};
  EXPECT_FALSE(store_.load(other));
  ASSERT_TRUE(store_.store(other, {.perplexity = 3}));
  EXPECT_EQ(store_.load(other), (CheckVerdict{.perplexity = 3}));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path() / "new" / "checks"), {}), 1);
}

TEST_F(CheckStoreTest, APerplexityThatIsNoNumberIsKeptAsALargeOne) {
  ASSERT_TRUE(store_.store(key_, {.perplexity = INFINITY, .fault = "x"}));
  EXPECT_GT(store_.load(key_)->perplexity, 1e6);
}

TEST_F(CheckStoreTest, ADamagedFileIsNone) {
  ASSERT_TRUE(store_.store(key_, verdict_));
  const std::string sound = text();
  for (const auto& [from, to] :
       {std::pair("12.5", "\"x\""), std::pair("\"format\": 1", "\"format\": 2"),
        std::pair("kernels", "colonels"), std::pair("\"fault\"", "\"default\""),
        std::pair("}", "")}) {
    std::string damaged = sound;
    damaged.replace(damaged.find(from), std::string(from).size(), to);
    write(damaged);
    EXPECT_FALSE(store_.load(key_)) << to;
  }
  write(std::string(1 << 17, ' ') + sound);
  EXPECT_FALSE(store_.load(key_)) << "too large";
  write(sound);
  EXPECT_EQ(store_.load(key_), verdict_);
}

}  // namespace
}  // namespace redraft::cli
