#include "workspace/engine/file_rest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"

namespace redraft {
namespace {

using testing::ElementsAre;

std::shared_ptr<const Document> document(const std::string& text, const char* uri = "a.py") {
  return *Document::make(uri, 1, text);
}

std::string lines(const std::string& word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += word + " = " + std::to_string(1000 + i) + "\n";
  return text;
}

class FileRestTest : public testing::Test {
 protected:
  // `shown` of the text between the first two bars.
  FileRest::Tokens of(std::string marked, const char* uri = "a.py") {
    const std::size_t begin = marked.find('|');
    marked.erase(begin, 1);
    const std::size_t end = marked.find('|');
    marked.erase(end, 1);
    return rest_.of(*document(marked, uri), {begin, end}, *tokenizer_);
  }
  std::vector<std::string> texts(const FileRest::Tokens& tokens) const {
    std::vector<std::string> result;
    for (const auto& text : *tokens) result.push_back(tokenizer_->decode(text));
    return result;
  }

  std::shared_ptr<const Tokenizer> tokenizer_ = byte_tokenizer();
  FileRest rest_;
  const std::string above_ = lines("above", 20), below_ = lines("below", 20);
};

TEST_F(FileRestTest, IsWhatIsNotShownTheTextAboveLast) {
  EXPECT_THAT(texts(of(above_ + "|shown\n|" + below_)), ElementsAre(below_, above_));
  EXPECT_THAT(texts(of("|shown\n|" + below_)), ElementsAre(below_));
  EXPECT_EQ(of("|" + above_ + "|"), nullptr) << "all is shown";
  EXPECT_EQ(of("x\n|shown\n|y\n"), nullptr) << "next to nothing is left";
}

TEST_F(FileRestTest, StaysWhileTheUserTypes) {
  const auto rest = of(above_ + "|a = |" + below_);
  std::string typed;
  for (const char c : std::string("f(x)\nb = 1\n")) {
    typed += c;
    EXPECT_EQ(of(above_ + "|a = " + typed + "|" + below_), rest);
  }
  // The cursor goes down two lines: so far the shown part reaches into what is kept.
  const std::string two = lines("below", 2);
  EXPECT_EQ(of(above_ + "|a = " + typed + two + "|" + below_.substr(two.size())), rest);
}

TEST_F(FileRestTest, IsTakenAnewWhereItIsAnother) {
  const std::string other_above = lines("ABOVE", 20), other_below = lines("BELOW", 20);
  const auto rest = of(above_ + "|a|" + below_);
  EXPECT_THAT(texts(of(other_above + "|a|" + below_)), ElementsAre(below_, other_above));
  EXPECT_THAT(texts(of(other_above + "|a|" + other_below)), ElementsAre(other_below, other_above));
  EXPECT_THAT(texts(of(above_ + "more\n|a|" + below_)), ElementsAre(below_, above_ + "more\n"));
  const auto one = of(above_ + "|a|" + below_);
  EXPECT_NE(of(above_ + "|a|" + below_, "b.py"), one) << "another file";
  EXPECT_THAT(texts(of("|" + above_ + "a|" + below_, "b.py")), ElementsAre(below_))
      << "the window has moved";
}

TEST_F(FileRestTest, FarDownTheTextBelowIsTakenAnew) {
  const std::string passed = lines("passed", 300);
  const auto rest = of("|a\n|" + passed + below_);
  const auto later = of("|a\n" + passed + "|" + below_);
  EXPECT_NE(later, rest);
  EXPECT_THAT(texts(later), ElementsAre(below_));
  EXPECT_THAT(texts(of("|a\n|" + passed + below_)), ElementsAre(passed + below_)) << "and far up";
}

TEST_F(FileRestTest, IsTheNearestPartOfALargeFile) {
  const std::string much = lines("x", 1 << 15);
  const auto rest = texts(of(much + "|a|" + much));
  ASSERT_EQ(rest.size(), 2U);
  for (const std::string& side : rest) {
    EXPECT_LE(side.size(), FileRest::kMaxSideBytes);
    EXPECT_GT(side.size(), FileRest::kMaxSideBytes - 20);
    EXPECT_EQ(side.substr(0, 4), "x = ") << "whole lines";
  }
  EXPECT_TRUE(much.starts_with(rest[0]));
  EXPECT_TRUE(much.ends_with(rest[1]));
  EXPECT_NE(of(much + "|a|" + std::string(1 << 20, 'x')), nullptr) << "a line without an end";
}

TEST_F(FileRestTest, LinesEndAsTheModelWritesThem) {
  std::string text;
  for (const char c : above_) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_THAT(texts(of(text + "|a|")), ElementsAre(above_));
}

}  // namespace
}  // namespace redraft
