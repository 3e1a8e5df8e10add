#include "indexing/files/source_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "indexing/files/file_kind.h"
#include "languages/languages.h"
#include "support/utf8/utf8.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string error_of(const TempFolder& folder, std::string_view path) {
  const Result<std::string> text = read_source(folder.path(), path, 100);
  return text ? "no error" : text.error().message();
}

TEST(SourceFile, SaysInTheCommentsOfEachLanguageThatItIsGenerated) {
  for (const Language* language : languages()) {
    for (const CommentMarks& marks : *language->comments) {
      const std::string open(marks.open), close(marks.close);
      const std::string text = open + " @generated " + close + "\nx\n";
      EXPECT_EQ(unwanted_text("a.x", text, true), SkipReason::kGenerated)
          << language->id() << ": " << text;
    }
  }
}

TEST(ReadSource, GivesTheBytesAsTheyAre) {
  const TempFolder folder;
  const std::string text =
      "\xEF\xBB\xBF"
      "a\r\nb\n\rü";
  folder.write("a/b.txt", text);
  folder.write("empty", "");
  EXPECT_EQ(*read_source(folder.path(), "a/b.txt"), text);
  EXPECT_EQ(*read_source(folder.path(), "empty"), "");
}

TEST(ReadSource, RefusesWhatIsNoSourceAndSaysWhy) {
  const TempFolder folder;
  folder.write("real/a.txt");
  folder.write("large", std::string(101, 'x'));
  folder.write("binary", std::string("\0", 1));
  folder.write("cut", "\xC3");
  fs::create_symlink("a.txt", folder / "real/link");
  fs::create_symlink("real", folder / "folder");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(error_of(folder, "real/link"), "real/link: a symbolic link");
  EXPECT_THAT(error_of(folder, "folder/a.txt"), StartsWith("folder/a.txt: "));
  EXPECT_EQ(error_of(folder, "pipe"), "pipe: not a regular file");
  EXPECT_EQ(error_of(folder, "real"), "real: not a regular file");
  EXPECT_EQ(error_of(folder, "large"), "large: too large: 101 bytes; the limit is 100");
  EXPECT_EQ(error_of(folder, "binary"), "binary: binary");
  EXPECT_EQ(error_of(folder, "cut"), "cut: binary");
  EXPECT_THAT(error_of(folder, "none"), HasSubstr("No such file"));
  for (const std::string_view path : {"", "../x", "/etc/passwd", "real/../x", "real//a.txt", "."}) {
    EXPECT_THAT(error_of(folder, path), EndsWith("not a path within the folder")) << path;
  }
}

TEST(ReadSource, GivesOneOfTheTextsThatAFileEverHad) {
  const TempFolder folder;
  const std::string one(500'000, '1');
  const std::string two(400'000, '2');
  folder.write("a", one);
  std::jthread writer([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      // More slowly than the clock of the file system, which ticks every few milliseconds.
      folder.write("a", two);
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
      folder.write("a", one);
      std::this_thread::sleep_for(std::chrono::milliseconds(15));
    }
  });
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
  while (std::chrono::steady_clock::now() < end) {
    const Result<std::string> text = read_source(folder.path(), "a");
    if (!text) {
      EXPECT_THAT(text.error().message(), StartsWith("a: "));
      continue;
    }
    // A file is written in pieces, so any prefix may be found, but no mixture.
    EXPECT_TRUE(one.starts_with(*text) || two.starts_with(*text)) << text->size();
  }
}

TEST(Utf8, IsCheckedToTheLastByte) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("ascii ascii ascii ü € 😀 ascii"));
  for (const std::string_view bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80",
                                     "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
                                     "\xFF", "a\xC3g", "12345678\xE2\x82", "\xE2\x28\xA1"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
  EXPECT_TRUE(is_utf8("12345678\xE2\x82", false));
  EXPECT_FALSE(is_utf8("\xE2\x28", false));
}

TEST(Language, ComesFromTheFileName) {
  EXPECT_EQ(language_of("file:///a/b.PY"), "python");
  EXPECT_EQ(language_of("a/CMakeLists.txt"), "cmake");
  EXPECT_EQ(language_of("a.b/Makefile"), "makefile");
  EXPECT_EQ(language_of("a.py/README"), "");
}

}  // namespace
}  // namespace redraft
