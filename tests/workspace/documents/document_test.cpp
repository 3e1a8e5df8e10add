#include "workspace/documents/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

namespace redraft {
namespace {

using testing::HasSubstr;

class DocumentFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "redraft-document-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

std::string error_of(std::string text) {
  const auto document = Document::make("file:///a.py", 1, std::move(text));
  return document ? "" : document.error().message();
}

TEST(LineIndex, EndsLinesAsLspDoes) {
  const std::string text = "a\r\nb\rc\n\n\r\r\nlast";
  const LineIndex lines(text);
  ASSERT_EQ(lines.line_count(), 7);
  std::vector<std::string> contents;
  for (int line = 0; line < lines.line_count(); ++line) {
    contents.push_back(text.substr(lines.start(line), lines.content_end(line) - lines.start(line)));
  }
  EXPECT_THAT(contents, testing::ElementsAre("a", "b", "c", "", "", "", "last"));
  EXPECT_EQ(lines.start(7), text.size());
  EXPECT_EQ(lines.line_of(0), 0);
  EXPECT_EQ(lines.line_of(2), 0);
  EXPECT_EQ(lines.line_of(3), 1);
  EXPECT_EQ(lines.line_of(text.size()), 6);
}

TEST(LineIndex, AnEmptyTextHasOneLine) {
  const LineIndex lines("");
  EXPECT_EQ(lines.line_count(), 1);
  EXPECT_EQ(lines.line_of(0), 0);
  EXPECT_EQ(lines.content_end(0), 0);
}

TEST(Document, TakesEveryUtf8Text) {
  EXPECT_EQ(error_of(""), "");
  EXPECT_EQ(error_of("\xEF\xBB\xBFx = 'é'\r\n"), "");
  EXPECT_EQ((*Document::make("u", 3, "\xEF\xBB\xBFx"))->text(), "\xEF\xBB\xBFx");
}

TEST(Document, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(error_of("one\ntwo \xE9t\xE9\n"),
              testing::AllOf(HasSubstr("file:///a.py: not UTF-8: byte 0xE9 at byte 8"),
                             HasSubstr("line 2")));
  EXPECT_THAT(error_of(std::string("PK\0\x03", 4)),
              HasSubstr("a binary file: it has a NUL byte at byte 2"));
  EXPECT_THAT(error_of(std::string("\xFF\xFE"
                                   "a\0",
                                   4)),
              HasSubstr("UTF-16"));
  EXPECT_THAT(error_of(std::string(kMaxDocumentBytes + 1, ' ')),
              HasSubstr("too large to edit: 17 MiB, the limit is 16 MiB"));
  EXPECT_EQ(error_of(std::string(kMaxDocumentBytes, ' ')), "");
}

TEST(Document, IsParsedInItsLanguage) {
  const auto python = *Document::make("u", 1, "def f(): pass\n", "python");
  ASSERT_NE(python->syntax(), nullptr);
  EXPECT_EQ(python->syntax()->definitions().size(), 1);
  EXPECT_EQ(python->syntax(), python->syntax());
  EXPECT_EQ((*Document::make("u", 1, "def f(): pass\n"))->syntax(), nullptr);
}

TEST(Document, ItsNextVersionHasATreeOfItsOwn) {
  const auto first = *Document::make("u", 1, "def f(): pass\n", "python");
  const auto unparsed = *first->changed(2, "def f(): pass\ndef g(): pass\n");
  ASSERT_NE(first->syntax(), nullptr);
  const auto second = *first->changed(3, "def f(): pass\ndef g(): pass\n");
  const auto third = *second->changed(4, "x = 1\n");  // second is never parsed
  EXPECT_EQ(third->version(), 4);
  EXPECT_EQ(third->language_id(), "python");
  EXPECT_EQ(third->syntax()->definitions().size(), 0);
  EXPECT_EQ(second->syntax()->definitions().size(), 2);
  EXPECT_EQ(unparsed->syntax()->definitions().size(), 2);
  EXPECT_EQ(first->syntax()->definitions().size(), 1);
  EXPECT_FALSE(first->changed(5, "\xFF"));
}

TEST_F(DocumentFile, ReadsTheBytesAsTheyAre) {
  const std::string text =
      "\xEF\xBB\xBF"
      "def f():\r\n\treturn 'é'\r\n# end";
  const auto document = Document::read(write("mod.py", text));
  ASSERT_TRUE(document) << document.error().message();
  EXPECT_EQ((*document)->text(), text);
  EXPECT_EQ((*document)->language_id(), "python");
  EXPECT_EQ((*Document::read(write("empty.txt", "")))->text(), "");
}

TEST_F(DocumentFile, TellsTheReasonsApart) {
  const auto reason = [](const std::filesystem::path& file) {
    const auto document = Document::read(file);
    return document ? "" : document.error().message();
  };
  EXPECT_THAT(reason(folder_ / "missing.py"), HasSubstr("missing.py: no such file"));
  EXPECT_THAT(reason(folder_), HasSubstr("a directory, not a file"));
  EXPECT_THAT(reason(write("a.bin", std::string("\x7F"
                                                "ELF\0\0",
                                                6))),
              HasSubstr("a.bin: a binary file"));
  EXPECT_THAT(reason(write("latin1.py", "caf\xE9")), HasSubstr("latin1.py: not UTF-8"));
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(reason(pipe), HasSubstr("not a regular file"));
  if (geteuid() != 0) {  // root may read everything
    const std::filesystem::path secret = write("secret.py", "x");
    std::filesystem::permissions(secret, std::filesystem::perms::none);
    EXPECT_THAT(reason(secret), HasSubstr("cannot be read: Permission denied"));
  }
}

}  // namespace
}  // namespace redraft
