#include "support/files/scratch_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tests/kit/folder_on_disk.h"

namespace redraft {
namespace {

using testing::HasSubstr;

// What temporary files may be in.
constexpr const char* kInMemory = "is in memory, not on a disk; choose a folder on a disk";

TEST(ScratchMemory, IsMemoryOfAFileThatNobodySees) {
  const FolderOnDisk folder;
  auto made = ScratchMemory::make(folder.path() / "new", 100'000);
  if (!made && made.error().message().ends_with(kInMemory)) GTEST_SKIP() << kInMemory;
  ASSERT_TRUE(made) << made.error().message();
  const ScratchMemory memory = std::move(*made);
  ASSERT_EQ(memory.bytes().size(), 100'000U);
  EXPECT_TRUE(std::ranges::all_of(memory.bytes(), [](std::uint8_t byte) { return byte == 0; }));
  std::ranges::fill(memory.bytes(), 7);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "new"));
  memory.seal();
  EXPECT_EQ(memory.bytes().back(), 7);
  EXPECT_DEATH(memory.bytes()[0] = 1, "");
}

TEST(ScratchMemory, SaysWhyThereIsNone) {
  const auto nowhere = ScratchMemory::make("/proc/nowhere", 1000);
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message(), HasSubstr("/proc/nowhere"));
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no memory to write files to";
  const auto in_memory = ScratchMemory::make("/dev/shm", 1000);
  ASSERT_FALSE(in_memory);
  EXPECT_THAT(in_memory.error().message(), HasSubstr(kInMemory));
}

// As on a full disk.
TEST(ScratchMemory, ReservesItsRoom) {
  const FolderOnDisk folder;
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto made = ScratchMemory::make(folder.path(), 100'000);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), testing::AnyOf(HasSubstr("too large"), HasSubstr(kInMemory)));
}

}  // namespace
}  // namespace redraft
