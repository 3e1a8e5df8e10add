#include "cli/common/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

namespace redraft::cli {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() {
    std::string pattern = (fs::temp_directory_path() / "redraft-files-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::ofstream(file()) << "old";
  }
  ~ReplaceFile() override { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "file"; }
  std::string content() const { return *read_file(file()); }
  std::ptrdiff_t entries() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(ReplaceFile, WritesTheNewTextAndKeepsTheMode) {
  ASSERT_EQ(chmod(file().c_str(), 0751), 0);
  ASSERT_TRUE(replace_file(file(), "old", "new\r\n"));
  EXPECT_EQ(content(), "new\r\n");
  EXPECT_EQ(static_cast<int>(fs::status(file()).permissions()), 0751);
  EXPECT_EQ(entries(), 1);
}

TEST_F(ReplaceFile, RefusesWhenTheFileHasChanged) {
  const Result<std::string> written = replace_file(file(), "older", "new");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message(), testing::HasSubstr("has changed on disk"));
  EXPECT_EQ(content(), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(ReplaceFile, RefusesWhenTheFileIsGone) {
  fs::remove(file());
  EXPECT_FALSE(replace_file(file(), "old", "new"));
  EXPECT_EQ(entries(), 0);
}

TEST_F(ReplaceFile, FollowsALinkAndLeavesItThere) {
  const fs::path link = folder_ / "link";
  fs::create_symlink("file", link);
  ASSERT_TRUE(replace_file(link, "old", "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(), "new");
}

// Whether the file system of the test has any.
bool set_attribute(const fs::path& file, const char* name, std::string_view value) {
  return ::setxattr(file.c_str(), name, value.data(), value.size(), 0) == 0;
}

std::string attribute(const fs::path& file, const char* name) {
  std::string value(100, ' ');
  const ssize_t size = ::getxattr(file.c_str(), name, value.data(), value.size());
  return size < 0 ? "none" : value.substr(0, static_cast<std::size_t>(size));
}

TEST_F(ReplaceFile, KeepsExtendedAttributesAndTheOwner) {
  if (!set_attribute(file(), "user.origin", "here")) GTEST_SKIP() << "no extended attributes here";
  const bool is_root = ::geteuid() == 0;
  ASSERT_TRUE(!is_root || ::chown(file().c_str(), 1234, 5678) == 0);
  ASSERT_EQ(::chmod(file().c_str(), 04751), 0);
  const Result<std::string> note = replace_file(file(), "old", "new");
  ASSERT_TRUE(note);
  EXPECT_EQ(*note, "");
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(attribute(file(), "user.origin"), "here");
  struct stat status = {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 04751U);
  if (is_root) {
    EXPECT_EQ(status.st_uid, 1234U);
    EXPECT_EQ(status.st_gid, 5678U);
  }
}

TEST_F(ReplaceFile, KeepsTheOtherNamesOfAFileAndSaysHow) {
  const fs::path other = folder_ / "other name";
  fs::create_hard_link(file(), other);
  ASSERT_EQ(::chmod(file().c_str(), 0751), 0);
  for (const auto& [before, after] : {std::pair("old", "a longer text"), {"a longer text", "s"}}) {
    const Result<std::string> note = replace_file(file(), before, after);
    ASSERT_TRUE(note);
    EXPECT_THAT(*note, testing::HasSubstr("2 names (hard links)"));
    EXPECT_EQ(content(), after);
    EXPECT_EQ(*read_file(other), after);
  }
  EXPECT_EQ(fs::hard_link_count(file()), 2U);
  EXPECT_EQ(static_cast<int>(fs::status(file()).permissions()), 0751);
  EXPECT_EQ(entries(), 2) << "the hidden file is gone";
  EXPECT_FALSE(replace_file(file(), "old", "new"));
  EXPECT_EQ(content(), "s");
}

// A user may write files of others, but not make any.
TEST_F(ReplaceFile, WritesInPlaceWhereANewFileWouldHaveAnotherOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "takes root to begin with";
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  ASSERT_EQ(::chown(file().c_str(), 1234, 1234), 0);
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  ASSERT_EQ(::seteuid(65534), 0);
  const Result<std::string> note = replace_file(file(), "old", "new");
  ASSERT_EQ(::seteuid(0), 0);
  ASSERT_TRUE(note) << note.error().message();
  EXPECT_THAT(*note, testing::HasSubstr("cannot have all of its attributes"));
  struct stat status = {};
  ASSERT_EQ(::stat(file().c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 1234U);
  EXPECT_EQ(content(), "new");
  EXPECT_EQ(entries(), 1);
}

}  // namespace
}  // namespace redraft::cli
