// A workspace of a hundred thousand files.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/indexing/index_compare.h"
#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
constexpr int kFiles = 100'000;
constexpr int kPerFolder = 250;

TEST(ManyFiles, AreReadFollowedAndForgotten) {
  const TempFolder scratch;
  const fs::path root = scratch.path() / "workspace";
  const auto path = [&](int i) {
    return root / std::to_string(i / kPerFolder) / (std::to_string(i) + ".py");
  };
  for (int i = 0; i < kFiles; ++i) {
    if (i % kPerFolder == 0) fs::create_directories(path(i).parent_path());
    std::ofstream(path(i)) << "def f" << i << "():\n    return " << i << "\n";
  }
  const auto open = [&] {
    auto folder = StoreFolder::open(scratch.path() / "store", 1);
    auto store = std::make_unique<TextStore>(std::move(*folder));
    EXPECT_TRUE(store->load());
    return std::make_unique<WorkspaceIndex>(std::vector{root}, byte_tokenizer(), std::move(store));
  };
  {
    const auto index = open();
    EXPECT_EQ(index->refresh().read, static_cast<std::size_t>(kFiles));
    while (index->store().merge()) {
    }
    ASSERT_TRUE(index->store().save());
    EXPECT_LT(index->store().statistics().segments, 24U);
  }
  const auto index = open();
  EXPECT_EQ(index->refresh().read, 0U);
  EXPECT_EQ(index->snapshot()->definitions("f77777", 9).size(), 1U);
  // A change of branch: a tenth of the files, folder by folder.
  for (int i = 0; i < kFiles / 10; ++i) std::ofstream(path(i)) << "def g" << i << "(): pass\n";
  fs::remove_all(root / "399");
  const RefreshReport report = index->refresh();
  EXPECT_EQ(report.read, static_cast<std::size_t>(kFiles / 10));
  EXPECT_EQ(report.removed, static_cast<std::size_t>(kPerFolder));
  EXPECT_EQ(index->snapshot()->definitions("f77", 9).size(), 0U);
  EXPECT_EQ(index->snapshot()->definitions("g77", 9).size(), 1U);
  EXPECT_EQ(index->snapshot()->definitions("f99999", 9).size(), 0U);
}

}  // namespace
}  // namespace redraft
