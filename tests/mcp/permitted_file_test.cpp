#include "mcp/files/permitted_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "tests/kit/temp_folder.h"

namespace redraft::mcp {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class PermittedFileTest : public testing::Test {
 protected:
  PermittedFileTest() {
    folder_.write("root/src/a.py", "a = 1\n");
    folder_.write("outside/a.py", "a = 1\n");
    roots_ = roots("root");
  }
  std::shared_ptr<const RootFolders> roots(const std::string& name) const {
    std::vector<std::string> problems;
    const std::vector<fs::path> paths = {folder_ / name};
    return RootFolders::open(paths, problems);
  }
  std::string why_not(const std::string& path, bool ignored = false) const {
    const Result<PermittedFile> file = PermittedFile::open(roots_, path, {.ignored = ignored});
    return file ? "" : file.error().message();
  }
  PermittedFile opened(const std::string& path) const {
    Result<PermittedFile> file = PermittedFile::open(roots_, path, {});
    if (!file) throw std::runtime_error(file.error().message());
    return *std::move(file);
  }
  std::string text(const std::string& below) const {
    std::ifstream file(folder_ / below);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string why_not_written(const Result<std::string>& written) {
    return written ? "" : written.error().message();
  }

  TempFolder folder_;
  std::shared_ptr<const RootFolders> roots_;
};

TEST_F(PermittedFileTest, ReplacesTheTextAndKeepsTheMode) {
  ::chmod((folder_ / "root/src/a.py").c_str(), 0751);
  const PermittedFile file = opened("src/a.py");
  EXPECT_EQ(file.document()->text(), "a = 1\n");
  EXPECT_EQ(why_not_written(file.replace(roots_, "a = 2\n")), "");
  EXPECT_EQ(text("root/src/a.py"), "a = 2\n");
  struct stat status = {};
  ::stat((folder_ / "root/src/a.py").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0751U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "root/src"), {}), 1);
}

TEST_F(PermittedFileTest, AFileThatChangedMeanwhileStaysAsItIs) {
  const PermittedFile file = opened("src/a.py");
  folder_.write("root/src/a.py", "a = 3\n");
  EXPECT_THAT(why_not_written(file.replace(roots_, "a = 2\n")), HasSubstr("changed on disk"));
  EXPECT_EQ(text("root/src/a.py"), "a = 3\n");
}

TEST_F(PermittedFileTest, AFolderThatBecomesALinkOutIsNotFollowed) {
  const PermittedFile file = opened("src/a.py");
  fs::rename(folder_ / "root/src", folder_ / "root/old");
  fs::create_symlink(folder_ / "outside", folder_ / "root/src");
  EXPECT_THAT(why_not_written(file.replace(roots_, "bad\n")), HasSubstr("outside of the folders"));
  EXPECT_EQ(text("outside/a.py"), "a = 1\n");
  EXPECT_EQ(text("root/old/a.py"), "a = 1\n");
}

TEST_F(PermittedFileTest, AFileThatBecomesALinkOutIsNotFollowed) {
  const PermittedFile file = opened("src/a.py");
  fs::remove(folder_ / "root/src/a.py");
  fs::create_symlink(folder_ / "outside/a.py", folder_ / "root/src/a.py");
  EXPECT_THAT(why_not_written(file.replace(roots_, "bad\n")), HasSubstr("outside of the folders"));
  EXPECT_EQ(text("outside/a.py"), "a = 1\n");
}

TEST_F(PermittedFileTest, ALinkThatLeadsElsewhereMeanwhileIsNotFollowed) {
  folder_.write("root/src/b.py", "a = 1\n");
  fs::create_symlink("a.py", folder_ / "root/src/link.py");
  const PermittedFile file = opened("src/link.py");
  fs::remove(folder_ / "root/src/link.py");
  fs::create_symlink("b.py", folder_ / "root/src/link.py");
  EXPECT_THAT(why_not_written(file.replace(roots_, "a = 2\n")), HasSubstr("moved or replaced"));
  EXPECT_EQ(text("root/src/b.py"), "a = 1\n");
}

TEST_F(PermittedFileTest, AnEqualFileInItsPlaceIsAnotherFile) {
  const PermittedFile file = opened("src/a.py");
  folder_.write("root/src/new.py", "a = 1\n");
  fs::rename(folder_ / "root/src/new.py", folder_ / "root/src/a.py");
  EXPECT_THAT(why_not_written(file.replace(roots_, "a = 2\n")), HasSubstr("moved or replaced"));
}

TEST_F(PermittedFileTest, ALinkWithinTheRootStaysALink) {
  fs::create_symlink("src/a.py", folder_ / "root/link.py");
  EXPECT_EQ(why_not_written(opened("link.py").replace(roots_, "a = 2\n")), "");
  EXPECT_TRUE(fs::is_symlink(folder_ / "root/link.py"));
  EXPECT_EQ(text("root/src/a.py"), "a = 2\n");
}

TEST_F(PermittedFileTest, OtherRootsAreOtherFiles) {
  const PermittedFile file = opened("src/a.py");
  EXPECT_NE(why_not_written(file.replace(roots("outside"), "a = 2\n")), "");
  EXPECT_EQ(text("root/src/a.py"), "a = 1\n");
}

TEST_F(PermittedFileTest, SecretsStayClosedByNameByTextAndByLink) {
  folder_.write("root/.env", "A=1\n");
  folder_.write("root/.git/config", "[core]\n");
  folder_.write("root/key.txt", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7\n");
  fs::create_symlink(".env", folder_ / "root/plain.txt");
  fs::create_symlink("src/a.py", folder_ / "root/.netrc");
  for (const char* path : {".env", "key.txt", "plain.txt", ".netrc"}) {
    for (const bool ignored : {false, true})
      EXPECT_THAT(why_not(path, ignored), HasSubstr("holds secrets")) << path;
  }
  EXPECT_THAT(why_not(".git/config", true), HasSubstr("version control"));
}

TEST_F(PermittedFileTest, IgnoredFilesAreOpenedOnRequest) {
  folder_.write("root/.gitignore", "out/\n");
  fs::create_directory(folder_ / "root/.git");
  folder_.write("root/out/x.py", "a = 1\n");
  folder_.write("root/node_modules/m/x.js", "a = 1\n");
  folder_.write("root/made.py", "# Code generated by a tool. DO NOT EDIT.\na = 1\n");
  for (const char* path : {"out/x.py", "node_modules/m/x.js", "made.py"}) {
    EXPECT_THAT(why_not(path), HasSubstr("set allow_ignored")) << path;
    EXPECT_EQ(why_not(path, true), "") << path;
  }
}

TEST_F(PermittedFileTest, WhatIsNoTextFileOfOneNameIsNamed) {
  folder_.write("root/binary.py", std::string("a\0b", 3));
  ::mkfifo((folder_ / "root/pipe.py").c_str(), 0600);
  fs::create_hard_link(folder_ / "outside/a.py", folder_ / "root/hard.py");
  EXPECT_THAT(why_not("hard.py"), HasSubstr("hard links"));
  EXPECT_THAT(why_not("src"), HasSubstr("directory"));
  EXPECT_THAT(why_not("binary.py"), HasSubstr("NUL byte"));
  EXPECT_THAT(why_not("pipe.py"), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace redraft::mcp
