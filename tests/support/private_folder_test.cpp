#include "support/files/private_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

namespace redraft {
namespace {

namespace fs = std::filesystem;

class PrivateFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "redraft_folder_XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string refusal(const fs::path& folder) {
    const Result<void> made = make_private_folder(folder);
    return made ? "" : made.error().message();
  }
  fs::path folder_;
};

TEST_F(PrivateFolderTest, CreatesMissingFoldersForTheUserOnly) {
  EXPECT_EQ(refusal(folder_ / "a" / "b"), "");
  for (const fs::path& made : {folder_ / "a", folder_ / "a" / "b"})
    EXPECT_EQ(fs::status(made).permissions(), fs::perms::owner_all);
  EXPECT_EQ(refusal(folder_ / "a" / "b"), "");
}

TEST_F(PrivateFolderTest, OneThatOthersMayLookIntoIsRefused) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0750), 0);
  EXPECT_NE(refusal(folder_).find("other users have access to it"), std::string::npos);
}

TEST_F(PrivateFolderTest, RejectsWhatIsNotAFolder) {
  std::ofstream(folder_ / "file") << "text";
  EXPECT_NE(refusal(folder_ / "file" / "a"), "");
  EXPECT_NE(refusal(folder_ / "file"), "");
  fs::create_directory_symlink(folder_, folder_ / "link");
  EXPECT_NE(refusal(folder_ / "link").find("is a link"), std::string::npos);
}

}  // namespace
}  // namespace redraft
