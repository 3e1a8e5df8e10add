#include "cli/common/text_range.h"

#include <gmock/gmock.h>

namespace redraft::cli {
namespace {

using testing::HasSubstr;

// The bytes that `range` denotes in `text`, or the error.
std::string select(const std::string& range, const std::string& text) {
  const Result<TextRange> parsed = parse_text_range(range);
  if (!parsed) return parsed.error().message();
  const auto document = Document::make("d", 1, text);
  const Result<ByteRange> bytes = to_bytes(*parsed, **document);
  return bytes ? "[" + text.substr(bytes->begin, bytes->size()) + "]" : bytes.error().message();
}

TEST(TextRange, CountsLinesAndBytesFromOneAndExcludesTheEnd) {
  EXPECT_EQ(select("1:2-2:2", "abc\ndef\n"), "[bc\nd]");
  EXPECT_EQ(select("2:1-2:1", "abc\ndef\n"), "[]");
  EXPECT_EQ(select("1:1-3:1", "abc\ndef\n"), "[abc\ndef\n]");
  EXPECT_EQ(select("1:4-2:1", "abc\r\ndef"), "[\r\n]");
  EXPECT_EQ(select("1:1-1:1", ""), "[]");
}

TEST(TextRange, OutsideTheFileIsAnErrorThatTellsItsSize) {
  EXPECT_THAT(select("1:1-9:1", "abc\ndef"),
              HasSubstr("line 9 is outside the file, which has 2 lines"));
  EXPECT_THAT(select("1:5-2:1", "abc\ndef"),
              HasSubstr("column 5 is outside line 1, which has 3 bytes"));
}

TEST(TextRange, NeverCutsACharacter) {
  EXPECT_THAT(select("1:2-1:3", "\xC3\xA9!"), HasSubstr("in the middle of a character"));
  EXPECT_EQ(select("1:1-1:3", "\xC3\xA9!"), "[\xC3\xA9]");
}

TEST(TextRange, OtherSpellingsAreErrors) {
  for (const char* range : {"", "1", "1:1", "1:1-", "1:1-2", "0:1-1:1", "1:0-1:1", "a:1-1:1",
                            "1:1-1:1x", "-1:1-2:1", "1:1-99999999999:1"}) {
    EXPECT_THAT(select(range, "x"), HasSubstr("is not L1:C1-L2:C2")) << range;
  }
  EXPECT_THAT(select("2:1-1:1", "a\nb"), HasSubstr("ends before it begins"));
}

}  // namespace
}  // namespace redraft::cli
