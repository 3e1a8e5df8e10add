#include "support/files/shared_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class SharedLogTest : public testing::Test {
 protected:
  static void add(int descriptor, const std::string& text) {
    ASSERT_EQ(::write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  static std::string text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      names.push_back(entry.path().filename().string());
    return names;
  }

  TempFolder folder_;
  fs::path file_ = folder_.path() / "log";
  fs::path old_ = folder_.path() / "log.old";
  SharedLog log_{file_, 10};
};

TEST_F(SharedLogTest, AppendsToAShortFile) {
  for (int i = 0; i < 2; ++i) add(log_.open()->get(), "line\n");
  EXPECT_EQ(text_of(file_), "line\nline\n");
  struct stat status {};
  ASSERT_EQ(::stat(file_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_THAT(names(), UnorderedElementsAre("log"));
}

TEST_F(SharedLogTest, ALongOneIsOldAtTheNextStart) {
  add(log_.open()->get(), "a long line\n");
  add(log_.open()->get(), "new\n");
  EXPECT_EQ(text_of(old_), "a long line\n");
  EXPECT_EQ(text_of(file_), "new\n");
}

TEST_F(SharedLogTest, APipeInItsPlaceKeepsNobodyWaiting) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  EXPECT_FALSE(log_.open());
}

TEST_F(SharedLogTest, WritersFollowToTheNewFile) {
  const Result<FileHandle> mine = log_.open();
  const Result<FileHandle> other = log_.open();
  ASSERT_TRUE(mine && other);
  log_.follow(mine->get());
  EXPECT_TRUE(log_.is_at(mine->get()));
  add(mine->get(), "a long line\n");
  log_.follow(mine->get());
  EXPECT_TRUE(log_.is_at(mine->get()));
  EXPECT_FALSE(log_.is_at(other->get()));
  add(mine->get(), "mine\n");
  add(other->get(), "late\n");  // it has not looked yet
  log_.follow(other->get());
  add(other->get(), "also\n");
  EXPECT_EQ(text_of(old_), "a long line\nlate\n");
  EXPECT_EQ(text_of(file_), "mine\nalso\n");
}

TEST_F(SharedLogTest, OneOldFileIsKept) {
  const Result<FileHandle> handle = log_.open();
  for (const char* text : {"first of all\n", "second of all\n", "third of all\n", "end\n"}) {
    log_.follow(handle->get());
    add(handle->get(), text);
  }
  EXPECT_EQ(text_of(old_), "third of all\n");
  EXPECT_EQ(text_of(file_), "end\n");
  EXPECT_THAT(names(), UnorderedElementsAre("log", "log.old"));
}

TEST_F(SharedLogTest, StartsANewFileAfterTheLogIsRemoved) {
  const Result<FileHandle> handle = log_.open();
  fs::remove(file_);
  log_.follow(handle->get());
  add(handle->get(), "x");
  EXPECT_EQ(text_of(file_), "x");
}

TEST_F(SharedLogTest, WithoutItsFolderNothingHappens) {
  const Result<FileHandle> handle = log_.open();
  fs::remove_all(folder_.path());
  log_.follow(handle->get());
  EXPECT_FALSE(log_.open());
  add(handle->get(), "x");
}

// Lines of ten bytes; none is torn.
TEST_F(SharedLogTest, ProcessesTakeTurns) {
  constexpr int kLines = 2000;
  const SharedLog log(file_, 1000);
  std::vector<pid_t> writers;
  for (const char name : {'a', 'b', 'c'}) {
    writers.push_back(::fork());
    if (writers.back() != 0) continue;
    const Result<FileHandle> handle = log.open();
    for (int i = 0; i < kLines; ++i) {
      log.follow(handle->get());
      const std::string line = name + std::to_string(10000000 + i) + "\n";
      if (::write(handle->get(), line.data(), line.size()) != 10) ::_exit(1);
    }
    ::_exit(0);
  }
  for (const pid_t writer : writers) {
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(text_of(file_).size() % 10, 0U);
  EXPECT_EQ(text_of(old_).size() % 10, 0U);
  EXPECT_GE(text_of(old_).size(), 1000U);
  EXPECT_THAT(names(), testing::IsSubsetOf({"log", "log.old", "log.lock"}));
}

}  // namespace
}  // namespace redraft
