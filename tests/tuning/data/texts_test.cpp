#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/temp_folder.h"
#include "tuning/data/commit_message.h"
#include "tuning/data/excluded_texts.h"
#include "tuning/data/learned_lines.h"
#include "tuning/data/similar_texts.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> learned(const std::string& before, const std::string& code,
                                 const std::string& end = "```<|im_end|>") {
  const std::string target = code + end;
  std::vector<std::string> out;
  for (const ByteRange& range : learned_lines(before, target, code.size()))
    out.push_back(target.substr(range.begin, range.size()));
  return out;
}

TEST(LearnedLines, AreThoseThatTheOriginalHasNotAndTheEnd) {
  const std::string before = "def f(a):\n    return a\n\nprint(f(1))\n";
  EXPECT_THAT(learned(before, before), ElementsAre("```<|im_end|>"));
  EXPECT_THAT(learned(before, "def f(a):\n    return 2 * a\n\nprint(f(1))\n"),
              ElementsAre("    return 2 * a\n", "```<|im_end|>"));
  EXPECT_THAT(learned(before, "import math\nimport re\ndef f(a):\n    return a\nx = 1\n"),
              ElementsAre("import math\nimport re\n", "x = 1\n```<|im_end|>"))
      << "lines that follow each other are one range";
  EXPECT_THAT(learned(before, "print(f(1))\nprint(f(1))\ndef f(a):\n"),
              ElementsAre("```<|im_end|>"))
      << "a line that was moved or repeated is in the original";
  EXPECT_THAT(learned("a\r\nb\r\n", "a\nb\nc\n"), ElementsAre("c\n```<|im_end|>"));
  EXPECT_THAT(learned("", "a\n"), ElementsAre("a\n```<|im_end|>"));
  EXPECT_THAT(learned("a\n", ""), ElementsAre("```<|im_end|>"));
  EXPECT_THAT(learned("a\n", "a\n\n"), ElementsAre("\n```<|im_end|>")) << "an empty line is a line";
}

const std::string kFunction =
    "def total(items):\n    result = 0\n    for item in items:\n        result += item.price\n"
    "    return result\n";

TEST(SimilarTexts, FindACopyWhateverItsBlanks) {
  SimilarTexts texts;
  texts.add(kFunction);
  EXPECT_EQ(texts.share_known(kFunction), 1);
  std::string indented;
  for (const char* line : {"class Cart:", "", "    def total(items):", "        result = 0", "",
                           "        for item in items:", "            result += item.price", "  }",
                           "        return result"})
    indented += std::string(line) + "\r\n";
  EXPECT_EQ(texts.share_known(indented), 0.75) << "three of its four shingles";
  EXPECT_EQ(texts.share_known("def other(x):\n    y = x + 1234\n    print(y, total)\n"), 0);
}

TEST(SimilarTexts, OfOneChangedLineKnowWhatIsFarFromIt) {
  SimilarTexts texts;
  std::string before, after;
  for (int i = 0; i < 20; ++i) {
    before += "line number " + std::to_string(i) + "\n";
    after += i == 10 ? "something else here\n" : "line number " + std::to_string(i) + "\n";
  }
  texts.add(before);
  EXPECT_DOUBLE_EQ(texts.share_known(after), 15.0 / 18);
}

TEST(SimilarTexts, TakeShortTextsAsAWhole) {
  SimilarTexts texts;
  texts.add("return value\n");
  EXPECT_EQ(texts.share_known("  return value"), 1);
  EXPECT_EQ(texts.share_known("return values"), 0);
  EXPECT_EQ(texts.share_known("return value\nreturn value\n"), 0);
  EXPECT_EQ(texts.share_known("{\n}\n\n"), 0) << "there is nothing telling in it";
}

TEST(ExcludedTexts, AreEveryValueOfJsonAndEveryOtherFile) {
  const TempFolder folder;
  const std::string json =
      R"({"id": 1, "deep": [{"before": "first line\nsecond line\nthird line\n"}]})";
  folder.write("tasks/a.jsonl",
               json + "\n" + R"({"x": "alpha line\nbeta line\ngamma line"})" + "\n");
  folder.write("b.json", R"({"text": "red line\ngreen line\nblue line"})");
  folder.write("code/c.py", kFunction);
  folder.write("broken.jsonl", "{no json, plain words\n");
  folder.write("picture.bin", std::string("\xFF\xFE\0", 3));
  SimilarTexts texts;
  const Result<ExcludedFolder> added = add_texts_of(folder.path(), texts);
  ASSERT_TRUE(added) << added.error().message();
  EXPECT_EQ(added->files, 4);
  EXPECT_THAT(added->others, ElementsAre("picture.bin"));
  for (const char* text :
       {"first line\nsecond line\nthird line", "alpha line\nbeta line\ngamma line",
        "red line\ngreen line\nblue line", "{no json, plain words"})
    EXPECT_EQ(texts.share_known(text), 1) << text;
  EXPECT_EQ(texts.share_known(kFunction), 1);
  EXPECT_FALSE(add_texts_of(folder.path() / "none", texts));
}

}  // namespace
}  // namespace redraft
