#include "decoding/line_table.h"

#include <gtest/gtest.h>

#include <string>

namespace redraft {
namespace {

const std::string kTexts[] = {"x", " ", "\t ", "\n", "\r\n", ";\n", "\n    ", "\n  y", "", " x"};
enum : TokenId { kX, kSpace, kTab, kBreak, kCrLf, kEnd, kIndent, kBreakY, kControl, kSpaceX };

LineTable table() {
  return {static_cast<int>(std::size(kTexts)),
          [](TokenId token) { return std::string_view(kTexts[token]); }};
}

TEST(LineTable, KnowsWhichTokensEndALine) {
  for (const TokenId token : std::initializer_list<TokenId>{kBreak, kCrLf, kEnd, kIndent, kBreakY})
    EXPECT_TRUE(table().breaks_line(token)) << token;
  for (const TokenId token :
       std::initializer_list<TokenId>{kX, kSpace, kTab, kControl, kSpaceX, 1000})
    EXPECT_FALSE(table().breaks_line(token)) << token;
}

TEST(LineTable, KnowsWhereALineHasNothingButBlanks) {
  using Tokens = std::vector<TokenId>;
  for (const Tokens& text : {Tokens{}, Tokens{kSpace}, Tokens{kX, kBreak}, Tokens{kX, kCrLf, kTab},
                             Tokens{kEnd}, Tokens{kX, kIndent, kSpace, kSpace}})
    EXPECT_TRUE(table().at_line_start(text));
  for (const Tokens& text : {Tokens{kX}, Tokens{kBreak, kX}, Tokens{kX, kSpace}, Tokens{kBreakY},
                             Tokens{kControl, kSpace}, Tokens{kBreak, kSpaceX}, Tokens{1000}})
    EXPECT_FALSE(table().at_line_start(text));
}

}  // namespace
}  // namespace redraft
