#include "http/api/answer_text.h"

#include <gtest/gtest.h>

#include <random>

namespace redraft::http {
namespace {

using End = AnswerText::End;
using Strings = std::vector<std::string>;

// What comes out of `text` in pieces of `size` bytes, and each time before the end, too.
struct Cut {
  std::string text;
  Strings parts;
  End end;
  std::string word;
};

Cut cut(const std::string& bytes, std::size_t size, const AnswerText::Limits& limits) {
  AnswerText answer(limits);
  Cut cut{};
  bool open = true;
  for (std::size_t begin = 0; begin < bytes.size() && open; begin += size) {
    open = answer.add(std::string_view(bytes).substr(begin, size));
    cut.parts.push_back(answer.take());
  }
  if (open) answer.finish();
  cut.parts.push_back(answer.take());
  for (const std::string& part : cut.parts) cut.text += part;
  cut.end = answer.end();
  cut.word = answer.stopping_word();
  return cut;
}

// The same by definition: the first end of a stop in the text, the longest of those that end there.
std::string before_stop(const std::string& text, const Strings& stops) {
  for (std::size_t end = 1; end <= text.size(); ++end) {
    std::size_t longest = 0;
    for (const std::string& stop : stops) {
      if (std::string_view(text).substr(0, end).ends_with(stop))
        longest = std::max(longest, stop.size());
    }
    if (longest > 0) return text.substr(0, end - longest);
  }
  return text;
}

TEST(AnswerText, EndsBeforeAStopHoweverTheTextIsCut) {
  const std::string text = "one\ntwo\n\nthree END four";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    const Cut found = cut(text, size, {.stops = {"END", "\n\n"}});
    EXPECT_EQ(found.text, "one\ntwo") << size;
    EXPECT_EQ(found.end, End::kStop);
    EXPECT_EQ(found.word, "\n\n");
  }
}

TEST(AnswerText, NeverShowsAPartOfAStop) {
  AnswerText answer({.stops = {"</answer>", "<|"}});
  std::string shown;
  for (const char c : std::string("a < b </answ</answer>")) {
    answer.add(std::string(1, c));
    shown += answer.take();
    EXPECT_TRUE(std::string("a < b </answ").starts_with(shown)) << shown;
  }
  EXPECT_EQ(shown, "a < b </answ");
}

TEST(AnswerText, GivesWhatWasHeldBackIfNoStopCame) {
  const Cut found = cut("value EN", 3, {.stops = {"END"}});
  EXPECT_EQ(found.text, "value EN");
  EXPECT_EQ(found.parts.back(), "EN");
  EXPECT_EQ(found.end, End::kNone);
}

TEST(AnswerText, IsTheDefinitionForRandomTextsAndStops) {
  std::mt19937 random(7);
  const auto text_of = [&](std::size_t size) {
    std::string text;
    while (text.size() < size) text += static_cast<char>('a' + random() % 2);
    return text;
  };
  for (int round = 0; round < 3000; ++round) {
    Strings stops;
    for (std::size_t i = 0; i < 1 + random() % 4; ++i) stops.push_back(text_of(1 + random() % 6));
    const std::string text = text_of(random() % 24);
    const Cut found = cut(text, 1 + random() % 5, {.stops = stops});
    EXPECT_EQ(found.text, before_stop(text, stops)) << text;
    EXPECT_EQ(found.end == End::kStop, found.text != text) << text;
  }
}

TEST(AnswerText, HoldsBackHalfACharacter) {
  const std::string text = "naïve → \U0001F600";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    const Cut found = cut(text, size, {});
    EXPECT_EQ(found.text, text);
    for (const std::string& part : found.parts)
      EXPECT_TRUE(part.empty() || (part.front() & 0xC0) != 0x80) << size;
  }
}

TEST(AnswerText, ReplacesWhatIsNoUtf8TheSameWayHoweverItIsCut) {
  const std::string text =
      "a\xFF"
      "b\xE2\x82"
      "c\xF0\x9F\x98";
  for (std::size_t size = 1; size <= text.size(); ++size)
    EXPECT_EQ(cut(text, size, {}).text, "a\uFFFDb\uFFFD\uFFFDc\uFFFD\uFFFD\uFFFD") << size;
}

TEST(AnswerText, EndsWhereALineIsIndentedLess) {
  for (std::size_t size = 1; size < 8; ++size) {
    const Cut found = cut("return x\n    y()\n  z()\n", size, {.min_indent = 4});
    EXPECT_EQ(found.text, "return x\n    y()\n  ") << size;  // as llama.cpp: the blanks stay
    EXPECT_EQ(found.end, End::kLimit);
    EXPECT_EQ(cut("a\n\tb\n\n", size, {.min_indent = 1}).text, "a\n\tb\n") << size;
    EXPECT_EQ(cut("b\n c", size, {.min_indent = 1}).end, End::kNone) << size;
  }
}

TEST(AnswerText, EndsWithTheFirstLineThatIsTooLate) {
  AnswerText::Clock::time_point now{};
  AnswerText answer({.time = std::chrono::milliseconds(500)}, [&] { return now; });
  EXPECT_TRUE(answer.add("a\nb"));
  now += std::chrono::milliseconds(501);
  EXPECT_TRUE(answer.add("c"));
  EXPECT_FALSE(answer.add("d\ne"));
  EXPECT_EQ(answer.take(), "a\nbcd\n");
  EXPECT_EQ(answer.end(), End::kLimit);
}

}  // namespace
}  // namespace redraft::http
