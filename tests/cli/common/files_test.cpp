#include "cli/common/files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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
  const Result<void> written = replace_file(file(), "older", "new");
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

}  // namespace
}  // namespace redraft::cli
