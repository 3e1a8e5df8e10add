#include "mcp/files/open_beneath.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "tests/kit/temp_folder.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;

class OpenBeneath : public testing::TestWithParam<OpenWay> {
 protected:
  OpenBeneath() : root_(FileHandle::open(folder_.path().c_str(), O_PATH | O_DIRECTORY)) {
    folder_.write("a/b/file");
    folder_.write("file");
    fs::create_symlink("b", folder_ / "a/link");
    fs::create_symlink("file", folder_ / "a/b/link");
    fs::create_symlink(folder_.path(), folder_ / "a/whole");
  }
  // 0, or the errno.
  int open(const std::string& path) const {
    const FileHandle file = open_beneath(root_.get(), path, O_RDONLY | O_CLOEXEC, GetParam());
    return file ? 0 : errno;
  }

  TempFolder folder_;
  FileHandle root_;
};

TEST_P(OpenBeneath, OpensWhatIsBelow) {
  EXPECT_EQ(open("file"), 0);
  EXPECT_EQ(open("a/b/file"), 0);
  EXPECT_EQ(open("a/none"), ENOENT);
}

TEST_P(OpenBeneath, FollowsNoLinkAndNoDots) {
  for (const char* path : {"a/link/file", "a/b/link", "a/whole/file"})
    EXPECT_TRUE(open(path) == ELOOP || open(path) == ENOTDIR) << path;
  for (const char* path :
       {"", "..", "a/../file", "./file", "/etc/passwd", "a//b/file", "a/b/file/"})
    EXPECT_EQ(open(path), EINVAL) << path;
}

INSTANTIATE_TEST_SUITE_P(Ways, OpenBeneath, testing::Values(OpenWay::kAtOnce, OpenWay::kByStep),
                         [](const auto& way) {
                           return way.param == OpenWay::kAtOnce ? "AtOnce" : "ByStep";
                         });

}  // namespace
}  // namespace redraft::mcp
