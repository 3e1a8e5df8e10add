#include "support/files/growing_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(GrowingFile, TakesTheFirstNameThatIsFree) {
  const TempFolder folder;
  const fs::path wanted = folder.path() / "out.json";
  for (const char* name : {"out.json", "out.json.1", "out.json.2"}) {
    Result<GrowingFile> file = GrowingFile::create(wanted);
    ASSERT_TRUE(file);
    EXPECT_EQ(file->path(), folder.path() / name);
    EXPECT_TRUE(file->append(name));
    EXPECT_TRUE(file->append("!"));
  }
  for (const char* name : {"out.json", "out.json.1", "out.json.2"})
    EXPECT_EQ(text_of(folder.path() / name), std::string(name) + "!");
}

TEST(GrowingFile, IsForThisUserAlone) {
  const TempFolder folder;
  const Result<GrowingFile> file = GrowingFile::create(folder.path() / "out");
  ASSERT_TRUE(file);
  EXPECT_EQ(fs::status(file->path()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(GrowingFile, FollowsNoLink) {
  const TempFolder folder;
  fs::create_symlink(folder.path() / "elsewhere", folder.path() / "out");
  const Result<GrowingFile> file = GrowingFile::create(folder.path() / "out");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->path(), folder.path() / "out.1");
  EXPECT_FALSE(fs::exists(folder.path() / "elsewhere"));
}

TEST(GrowingFile, SaysWhatItCannotMake) {
  const TempFolder folder;
  const Result<GrowingFile> file = GrowingFile::create(folder.path() / "missing" / "out");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message(), testing::HasSubstr("missing/out: cannot be created: "));
}

}  // namespace
}  // namespace redraft
