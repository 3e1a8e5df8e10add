#include "mcp/files/root_folders.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "tests/kit/temp_folder.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RootFoldersTest : public testing::Test {
 protected:
  RootFoldersTest() {
    folder_.write("one/a.py");
    folder_.write("one/both.py");
    folder_.write("two/b.py");
    folder_.write("two/both.py");
    folder_.write("outside/c.py");
    std::vector<std::string> problems;
    const std::vector<fs::path> paths = {folder_ / "one", folder_ / "two", folder_ / "none"};
    roots_ = RootFolders::open(paths, problems);
    EXPECT_EQ(problems.size(), 1U);
  }
  // "0 a.py" or the error.
  std::string find(const std::string& path) const {
    const Result<FilePlace> place = roots_->find(path);
    if (!place) return place.error().message();
    return std::to_string(place->root_idx) + " " + place->relative;
  }

  TempFolder folder_;
  std::shared_ptr<const RootFolders> roots_;
};

TEST_F(RootFoldersTest, FindsRelativeAndAbsolutePathsAndUris) {
  EXPECT_EQ(find("a.py"), "0 a.py");
  EXPECT_EQ(find("./a.py"), "0 a.py");
  EXPECT_EQ(find("b.py"), "1 b.py");
  EXPECT_EQ(find(folder_ / "two/b.py"), "1 b.py");
  EXPECT_EQ(find("file://" + (folder_ / "two/b.py").string()), "1 b.py");
  EXPECT_EQ(find("../two/b.py"), "1 b.py");
}

TEST_F(RootFoldersTest, ANameInTwoRootsNeedsItsFolder) {
  EXPECT_THAT(find("both.py"), HasSubstr("Give the absolute path"));
}

TEST_F(RootFoldersTest, LeadsNowhereElse) {
  fs::create_symlink(folder_ / "outside", folder_ / "one/out");
  fs::create_symlink(folder_ / "outside/c.py", folder_ / "one/c.py");
  const std::string paths[] = {"../outside/c.py",
                               folder_ / "outside/c.py",
                               "out/c.py",
                               "c.py",
                               folder_ / "outside/none.py",
                               "/etc/passwd",
                               "..",
                               folder_ / "one",
                               folder_ / "onefold/x.py"};
  for (const std::string& path : paths)
    EXPECT_THAT(find(path), HasSubstr("outside of the folders that may be edited")) << path;
  EXPECT_THAT(find("none.py"), HasSubstr("no such file"));
  EXPECT_THAT(find(""), HasSubstr("empty"));
  EXPECT_THAT(find(std::string("a\0.py", 5)), HasSubstr("NUL"));
  EXPECT_THAT(find("a\xff"), HasSubstr("UTF-8"));
  EXPECT_THAT(find("https://host/a.py"), HasSubstr("no such file"));
}

TEST_F(RootFoldersTest, LinksWithinTheRootsAreFollowed) {
  fs::create_symlink(folder_ / "two/b.py", folder_ / "one/link.py");
  fs::create_symlink("a.py", folder_ / "one/near.py");
  EXPECT_EQ(find("link.py"), "1 b.py");
  EXPECT_EQ(find("near.py"), "0 a.py");
}

TEST_F(RootFoldersTest, WithoutFoldersNothingIsFound) {
  std::vector<std::string> problems;
  const auto none = RootFolders::open({}, problems);
  EXPECT_FALSE(none->find("/etc/passwd"));
}

}  // namespace
}  // namespace redraft::mcp
