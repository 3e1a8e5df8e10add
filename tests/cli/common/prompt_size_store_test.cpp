#include "cli/common/prompt_size_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/kit/temp_folder.h"

namespace redraft::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

CostKey some_key() {
  return {.cpu = "Abacus 9000 \"fast\"",
          .threads = 2,
          .instructions = "beads",
          .program = "0.1.0-123-456",
          .model = "model.gguf",
          .model_bytes = 7'000'000'000,
          .model_time = -5};
}

CostKey with(CostKey key, void (*change)(CostKey&)) {
  change(key);
  return key;
}

class PromptSizeStoreTest : public testing::Test {
 protected:
  // On a machine that reads so many tokens in a second.
  PromptSize choose(const CostKey& key, int tokens_per_second) {
    return store_.find_or_choose(
        key,
        [&] {
          ++n_measured_;
          return tokens_per_second;
        },
        [&](const std::string& notice) { notices_.push_back(notice); });
  }
  void write(const std::string& text) {
    std::filesystem::create_directories(store_.file().parent_path());
    std::ofstream(store_.file(), std::ios::binary) << text;
  }

  TempFolder folder_;
  PromptSizeStore store_{folder_.path() / "new" / "prompt-sizes.json"};
  int n_measured_ = 0;
  std::vector<std::string> notices_;
};

TEST_F(PromptSizeStoreTest, ChoosesOnceByTheSpeed) {
  EXPECT_EQ(store_.find(some_key()), std::nullopt);
  EXPECT_EQ(choose(some_key(), 200), PromptSize::kMedium);
  for (const int speed : {1, 20, 2000, 20'000})
    EXPECT_EQ(choose(some_key(), speed), PromptSize::kMedium) << speed;
  EXPECT_EQ(n_measured_, 1);
  EXPECT_EQ(store_.find(some_key()), PromptSize::kMedium);
  EXPECT_THAT(notices_, IsEmpty());
}

TEST_F(PromptSizeStoreTest, KeepsTheChoiceForANewBuildAndACopyOfTheModel) {
  choose(some_key(), 200);
  for (const auto change :
       {+[](CostKey& key) { key.program = "0.2.0"; }, +[](CostKey& key) { key.model_time = 99; }})
    EXPECT_EQ(store_.find(with(some_key(), change)), PromptSize::kMedium);
}

TEST_F(PromptSizeStoreTest, ChoosesForEachMachineAndTellsTheUser) {
  choose(some_key(), 200);
  for (const auto change :
       {+[](CostKey& key) { key.cpu = "Abacus 1"; }, +[](CostKey& key) { key.threads = 8; },
        +[](CostKey& key) { key.instructions = "pebbles"; }}) {
    notices_.clear();
    EXPECT_EQ(choose(with(some_key(), change), 20), PromptSize::kSmall);
    choose(with(some_key(), change), 20);
    if (store_.load().size() > 2) continue;  // the last choice was the same size
    EXPECT_THAT(notices_, ElementsAre(AllOf(HasSubstr("The machine changed"),
                                            HasSubstr("small instead of medium"),
                                            HasSubstr("redraft.promptSize"))));
  }
  EXPECT_THAT(store_.load(), SizeIs(4));
  EXPECT_EQ(store_.find(some_key()), PromptSize::kMedium) << "back on the first machine";
}

TEST_F(PromptSizeStoreTest, ChoosesForEachModelAndTellsTheUser) {
  choose(some_key(), 200);
  const CostKey larger = with(some_key(), [](CostKey& key) { key.model_bytes *= 10; });
  EXPECT_EQ(choose(larger, 20), PromptSize::kSmall);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("The model changed")));
  const CostKey adapted = with(some_key(), [](CostKey& key) { key.adapter = "lora"; });
  EXPECT_EQ(choose(adapted, 20), PromptSize::kSmall);
  EXPECT_THAT(notices_, SizeIs(1)) << "the size is the one of the last choice";
}

TEST_F(PromptSizeStoreTest, ForgetsTheOldestChoices) {
  choose(some_key(), 200);
  for (int threads = 3; threads < 70; ++threads) {
    CostKey key = some_key();
    key.threads = threads;
    choose(key, 200);
  }
  EXPECT_THAT(store_.load(), SizeIs(64));
  EXPECT_EQ(store_.find(some_key()), std::nullopt);
}

TEST_F(PromptSizeStoreTest, SurvivesADamagedFile) {
  choose(some_key(), 200);
  const std::string text = to_text(store_.load());
  for (std::size_t size = 0; size < text.size(); ++size) {
    write(text.substr(0, size));
    const auto found = store_.find(some_key());
    EXPECT_TRUE(!found || *found == PromptSize::kMedium) << size;
  }
  for (const char* damaged : {"", "[]", R"({"format":2,"choices":[]})", R"({"format":1})",
                              R"({"format":1,"choices":[{"cpu":"a"}]})"}) {
    write(damaged);
    EXPECT_THAT(store_.load(), IsEmpty()) << damaged;
    EXPECT_EQ(choose(some_key(), 20), PromptSize::kSmall) << "it is written anew";
    EXPECT_EQ(store_.find(some_key()), PromptSize::kSmall);
  }
  std::string unknown = text;
  unknown.replace(unknown.find("medium"), 6, "gigantic");
  EXPECT_THAT(parse_prompt_sizes("sizes.json", unknown).error().message(),
              AllOf(HasSubstr("sizes.json"), HasSubstr("gigantic")));
}

TEST(PromptSizeStore, ChoosesAnewWithoutAFolder) {
  const PromptSizeStore none{std::filesystem::path()};
  EXPECT_EQ(none.find_or_choose(some_key(), [] { return 200; }, {}), PromptSize::kMedium);
  EXPECT_THAT(none.load(), IsEmpty());
}

}  // namespace
}  // namespace redraft::cli
