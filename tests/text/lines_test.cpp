#include "text/strings/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/strings/joined.h"

namespace redraft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Lines, ANewlineAtTheEndBeginsNoLine) {
  EXPECT_THAT(split_lines(""), IsEmpty());
  EXPECT_THAT(split_lines("\n"), ElementsAre(""));
  EXPECT_THAT(split_lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_lines("a\n\nb\n"), ElementsAre("a", "", "b"));
  EXPECT_THAT(split_lines("a\r\nb"), ElementsAre("a\r", "b"));
  EXPECT_THAT(split_terminated("a b", ' '), ElementsAre("a", "b"));
}

TEST(Lines, OneIsTakenAtATime) {
  std::string_view text = "a\n\nb";
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(text, "\nb");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_EQ(text, "");
  EXPECT_EQ(take_line(text), "");
}

TEST(Lines, WithNewlinesTheyAreTheText) {
  EXPECT_THAT(lines_with_newlines(""), IsEmpty());
  EXPECT_THAT(lines_with_newlines("a\n\nb"), ElementsAre("a\n", "\n", "b"));
  EXPECT_THAT(lines_with_newlines("a\n"), ElementsAre("a\n"));
}

TEST(Lines, PartsAreOneMoreThanSeparators) {
  EXPECT_THAT(split_separated("", ':'), ElementsAre(""));
  EXPECT_THAT(split_separated("a::b:", ':'), ElementsAre("a", "", "b", ""));
  EXPECT_EQ(joined(split_separated("a::b:", ':'), ":"), "a::b:");
}

TEST(Lines, EachIsWrittenWithANewline) {
  EXPECT_EQ(text_of_lines(std::vector<std::string>{}), "");
  EXPECT_EQ(text_of_lines(split_lines("a\n\nb")), "a\n\nb\n");
}

}  // namespace
}  // namespace redraft
