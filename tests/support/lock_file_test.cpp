#include "support/files/lock_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "tests/kit/hang_limit.h"

namespace {
bool fstat_fails = false;
}  // namespace

// In place of the C library's, for this program.
extern "C" int fstat(int descriptor, struct stat* status) noexcept {
  if (!fstat_fails) return ::fstatat(descriptor, "", status, AT_EMPTY_PATH);
  errno = EIO;
  return -1;
}

namespace redraft {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class LockFileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "redraft_lock_XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    file_ = folder_ / "lock";
  }
  void TearDown() override { fs::remove_all(folder_); }
  bool is_free() {
    const auto lock = LockFile::take(file_);
    return lock && *lock;
  }
  fs::path folder_, file_;
};

TEST_F(LockFileTest, OneHasIt) {
  {
    const auto lock = LockFile::take(file_);
    ASSERT_TRUE(lock && *lock);
    EXPECT_TRUE(fs::exists(file_));
    EXPECT_FALSE(is_free());
  }
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(is_free());
}

TEST_F(LockFileTest, TheLockOfAKilledProcessIsFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = LockFile::take(file_);
    ::_exit(lock && *lock ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(fs::exists(file_));
  EXPECT_TRUE(is_free());
}

TEST_F(LockFileTest, NeverTwoAtOnceThoughEachRemovesTheFile) {
  std::atomic<int> inside = 0;
  std::atomic<int> turns = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 0; turn < 20; ++turn) {
        const auto lock = LockFile::take(file_, kHangLimit);
        ASSERT_TRUE(lock && *lock);
        EXPECT_EQ(++inside, 1);
        ++turns;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(turns, 80);
}

TEST_F(LockFileTest, AFolderThatIsNotThere) {
  const auto lock = LockFile::take(folder_ / "none" / "lock");
  ASSERT_FALSE(lock);
  EXPECT_NE(lock.error().message().find("No such file"), std::string::npos);
}

// A file system that does not say which file was opened keeps nobody waiting for ever.
TEST_F(LockFileTest, GivesUpWhereItCannotTellWhatItHasLocked) {
  fstat_fails = true;
  const auto lock = LockFile::take(file_, 30ms);
  fstat_fails = false;
  ASSERT_TRUE(lock) << lock.error().message();
  EXPECT_FALSE(*lock);
}

}  // namespace
}  // namespace redraft
