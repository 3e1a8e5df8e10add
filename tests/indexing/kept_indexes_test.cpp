#include "indexing/kept_indexes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>

#include "indexing/store/store_format.h"
#include "indexing/store/text_store.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;

class KeptIndexesTest : public testing::Test {
 protected:
  // An index of a folder in work_, with about `tokens` tokens, not used for `age`.
  void keep(const std::string& name, hours age, std::size_t tokens = 100) {
    fs::create_directories(work_ / name);
    {
      Result<StoreFolder> folder = StoreFolder::open(indexes_ / name, 1, {(work_ / name).string()});
      ASSERT_TRUE(folder);
      TextStore store(std::move(*folder));
      store.put({{"a", {}, std::vector<TokenId>(tokens, 1)}});
      ASSERT_TRUE(store.save());
    }
    fs::last_write_time(indexes_ / name / "lock", fs::file_time_type::clock::now() - age);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const KeptIndex& index : kept_indexes(indexes_))
      names.push_back(index.folder.filename().string());
    return names;
  }
  std::uint64_t bytes_of(const std::string& name) const {
    for (const KeptIndex& index : kept_indexes(indexes_)) {
      if (index.folder.filename() == name) return index.bytes;
    }
    return 0;
  }

  TempFolder scratch_;
  fs::path indexes_ = scratch_.path() / "index";
  fs::path work_ = scratch_.path() / "work";
};

TEST_F(KeptIndexesTest, AreListedByUse) {
  keep("b", hours(1));
  keep("a", hours(3));
  keep("c", hours(2));
  fs::create_directories(indexes_ / "no index");
  EXPECT_THAT(names(), ElementsAre("a", "c", "b"));
  const KeptIndex first = kept_indexes(indexes_).front();
  EXPECT_THAT(first.roots, ElementsAre(work_ / "a"));
  EXPECT_GT(first.bytes, 400U);
  EXPECT_THAT(kept_indexes(scratch_.path() / "nowhere"), IsEmpty());
}

TEST_F(KeptIndexesTest, OpeningAndSavingIsUse) {
  keep("a", hours(5));
  keep("b", hours(2));
  keep("c", hours(1));
  ASSERT_TRUE(StoreFolder::open(indexes_ / "a", 1));
  EXPECT_THAT(names(), ElementsAre("b", "c", "a"));
  EXPECT_THAT(kept_indexes(indexes_).back().roots, ElementsAre(work_ / "a")) << "noted before";
  Result<StoreFolder> folder = StoreFolder::open(indexes_ / "b", 1);
  ASSERT_TRUE(folder);
  fs::last_write_time(indexes_ / "b" / "lock", fs::file_time_type::clock::now() - hours(9));
  // Two uses within a tick of the clock would have no order.
  fs::last_write_time(indexes_ / "a" / "lock", fs::file_time_type::clock::now() - hours(1));
  TextStore store(std::move(*folder));
  ASSERT_TRUE(store.load());
  store.put({{"b", {}, {1, 2}}});
  ASSERT_TRUE(store.save());
  EXPECT_EQ(names().back(), "b");
}

TEST_F(KeptIndexesTest, BeyondTheBudgetTheLeastRecentlyUsedGo) {
  for (int i = 0; i < 100; ++i) keep("w" + std::to_string(100 + i), hours(200 - i));
  const std::uint64_t each = bytes_of("w100");
  EXPECT_EQ(prune_indexes(indexes_, {}).count, 0U) << "there is room for all";
  const RemovedIndexes removed = prune_indexes(indexes_, {.bytes = 3 * each + each / 2});
  EXPECT_EQ(removed.count, 97U);
  EXPECT_EQ(removed.bytes, 97 * each);
  EXPECT_THAT(names(), ElementsAre("w197", "w198", "w199"));
  std::size_t folders = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(indexes_)) ++folders;
  EXPECT_EQ(folders, 3U) << "nothing of the others is left";
}

TEST_F(KeptIndexesTest, TheOneBeingOpenedStaysAndCounts) {
  keep("a", hours(5));
  keep("b", hours(2));
  keep("c", hours(1));
  prune_indexes(indexes_, {.bytes = bytes_of("a") + 10}, indexes_ / "a");
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(KeptIndexesTest, OfFoldersThatAreGoneGoInTheEnd) {
  keep("gone", hours(24 * 6));
  keep("gone long", hours(24 * 8));
  keep("there", hours(24 * 900));
  fs::remove_all(work_ / "gone");
  fs::remove_all(work_ / "gone long");
  EXPECT_EQ(prune_indexes(indexes_, {}).count, 1U);
  EXPECT_THAT(names(), ElementsAre("there", "gone"));
  EXPECT_EQ(prune_indexes(indexes_, {.gone = hours(0)}).count, 1U);
  EXPECT_THAT(names(), ElementsAre("there"));
}

TEST_F(KeptIndexesTest, WithARootThatIsThereStays) {
  fs::create_directories(work_ / "there");
  const std::vector<std::string> roots = {(work_ / "gone").string(), (work_ / "there").string()};
  ASSERT_TRUE(StoreFolder::open(indexes_ / "both", 1, roots));
  ASSERT_TRUE(StoreFolder::open(indexes_ / "unknown", 1)) << "of an earlier version";
  EXPECT_EQ(prune_indexes(indexes_, {.gone = hours(0)}).count, 0U);
}

TEST_F(KeptIndexesTest, WhatIsInUseStays) {
  keep("a", hours(5));
  Result<StoreFolder> writer = StoreFolder::open(indexes_ / "a", 1);
  ASSERT_TRUE(writer && writer->may_write());
  RemovedIndexes removed = prune_indexes(indexes_, {.bytes = 0});
  EXPECT_EQ(removed.count, 0U);
  EXPECT_EQ(removed.in_use, 1U);
  EXPECT_TRUE(writer->load()->segments.size() == 1);
  removed = forget_indexes(indexes_, work_ / "a");
  EXPECT_EQ(removed.in_use, 1U);
}

TEST_F(KeptIndexesTest, AReaderKeepsWhatItHasOpened) {
  keep("a", hours(5));
  TextStore reader(std::move(*StoreFolder::open(indexes_ / "a", 1)));
  ASSERT_TRUE(reader.load());
  EXPECT_EQ(forget_indexes(indexes_, work_).count, 1U);
  EXPECT_EQ(reader.snapshot()->token_count(), 100U);
  EXPECT_EQ(reader.verify(), 0U) << "its bytes are there";
}

TEST_F(KeptIndexesTest, ForgettingAFolderForgetsThoseInIt) {
  keep("project", hours(1));
  keep("project/part", hours(1));
  keep("project-other", hours(1));
  fs::rename(indexes_ / "project/part", indexes_ / "part");  // beside the others
  EXPECT_EQ(forget_indexes(indexes_, work_ / "proj").count, 0U);
  EXPECT_EQ(forget_indexes(indexes_, (work_ / "project").string() + "/").count, 2U);
  EXPECT_THAT(names(), ElementsAre("project-other"));
  fs::remove_all(work_ / "project-other");
  EXPECT_EQ(forget_indexes(indexes_, work_ / "project-other").count, 1U) << "though it is gone";
}

// Of builds before and after this one; both use it now and then.
TEST_F(KeptIndexesTest, OfOtherFormatsGoWhenTheirBuildIsUsedNoMore) {
  const std::string workspace = "0123456789abcdef-fedcba9876543210";
  keep(workspace, hours(24 * 8));
  keep(workspace + "-" + store_format(), hours(24 * 8));
  keep(workspace + "-" + store_format("M99", "C99", "S99"), hours(24 * 6));
  EXPECT_EQ(prune_indexes(indexes_, {}).count, 1U);
  EXPECT_THAT(names(), testing::UnorderedElementsAre(workspace + "-" + store_format(),
                                                     workspace + "-999999"));
  EXPECT_EQ(prune_indexes(indexes_, {.other_format = hours(0)}).count, 1U);
  EXPECT_THAT(names(), ElementsAre(workspace + "-" + store_format()));
}

// What others put there is not ours to remove.
TEST_F(KeptIndexesTest, OtherFilesStay) {
  keep("a", hours(1));
  std::ofstream(indexes_ / "a" / "notes.txt") << "mine";
  std::ofstream(indexes_ / "notes.txt") << "mine";
  EXPECT_EQ(forget_indexes(indexes_, work_ / "a").count, 1U);
  EXPECT_TRUE(fs::exists(indexes_ / "a" / "notes.txt"));
  EXPECT_TRUE(fs::exists(indexes_ / "notes.txt"));
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace redraft
