#include "tuning/example.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>

#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

const std::string kGood =
    R"({"prompt":"<|im_start|>user\nx","target":"0123456789","learn":[[0,2],[2,3],[9,10]],"source":"here","more":1})";

std::string error_of(const std::string& line) {
  const Result<TuningExample> example = parse_example("f:1", line);
  return example ? "" : example.error().message();
}

std::string with_learn(const std::string& learn) {
  return R"({"prompt":"p","target":"0123456789","source":"","learn":)" + learn + "}";
}

TEST(Example, IsParsed) {
  const Result<TuningExample> example = parse_example("f:1", kGood);
  ASSERT_TRUE(example) << example.error().message();
  EXPECT_EQ(example->prompt, "<|im_start|>user\nx");
  EXPECT_EQ(example->target, "0123456789");
  EXPECT_EQ(example->source, "here");
  EXPECT_EQ(example->learn, (std::vector<ByteRange>{{0, 2}, {2, 3}, {9, 10}}));
}

TEST(Example, IsReadAsItWasWritten) {
  const TuningExample example{.prompt = "<|im_start|>user\n\"a\"\tä",
                              .target = "x = 1\n```<|im_end|>",
                              .learn = {{0, 6}, {6, 18}},
                              .source = "repo 0123 a.py",
                              .licence = "MIT"};
  const std::string line = to_json_line(example);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const Result<TuningExample> read = parse_example("f:1", line);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->prompt, example.prompt);
  EXPECT_EQ(read->target, example.target);
  EXPECT_EQ(read->learn, example.learn);
  EXPECT_EQ(read->source, example.source);
  EXPECT_EQ(read->licence, example.licence);
}

TEST(Example, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(error_of(R"({"prompt":"p"})"), "f:1: has no target");
  EXPECT_EQ(error_of(R"({"prompt":"","target":"t","source":"s","learn":[[0,1]]})"),
            "f:1: prompt: is empty");
  EXPECT_EQ(error_of(with_learn("[]")), "f:1: learn: has no range: there is nothing to learn");
  EXPECT_EQ(error_of(with_learn("[[0,1],[0,2]]")),
            "f:1: learn[1]: begins before the range in front of it ends");
  EXPECT_EQ(error_of(with_learn("[[3,3]]")), "f:1: learn[0]: is empty or ends before it begins");
  EXPECT_NE(error_of(R"({"prompt":"p","target":"t","source":"","licence":1,"learn":[[0,1]]})"), "");
  EXPECT_EQ(error_of(with_learn("[[3]]")), "f:1: learn[0]: expected a pair of byte offsets");
  for (const char* bad :
       {"[[3,11]]", "[[-1,2]]", "[[1,2.5]]", "[[\"1\",2]]", "7", "[7]", "null", "[[1,2,3]]"})
    EXPECT_NE(error_of(with_learn(bad)), "") << bad;
  for (const char* bad : {"", "[]", "{", "null",
                          "{\"prompt\":1,\"target\":\"t\",\"source\":\"s\",\"learn\":[[0,1]]}"})
    EXPECT_NE(error_of(bad), "") << bad;
}

// Whatever a damaged line says: it is refused, or what is taken from it holds what it promises.
TEST(Example, DamagedLinesAreRefusedOrSound) {
  std::mt19937 random(1);
  int taken = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string line = kGood;
    for (int change = 0; change < 1 + round % 3; ++change) {
      const std::size_t at = random() % line.size();
      switch (random() % 3) {
        case 0:
          line[at] = static_cast<char>(random());
          break;
        case 1:
          line.erase(at, 1 + random() % 4);
          break;
        default:
          line.insert(at, 1, "0123456789[]{},\"\\-"[random() % 18]);
      }
      if (line.empty()) line = " ";
    }
    const Result<TuningExample> example = parse_example("f", line);
    if (!example) {
      EXPECT_TRUE(example.error().message().starts_with("f: ")) << example.error().message();
      continue;
    }
    ++taken;
    EXPECT_FALSE(example->prompt.empty() || example->target.empty() || example->learn.empty());
    std::size_t from = 0;
    for (const ByteRange& range : example->learn) {
      EXPECT_TRUE(from <= range.begin && range.begin < range.end &&
                  range.end <= example->target.size());
      from = range.end;
    }
  }
  EXPECT_GT(taken, 500);
}

TEST(Example, FilesHaveOneALine) {
  const TempFolder folder;
  const auto file = folder.path() / "data.jsonl";
  const auto read = [&](const std::string& text) {
    std::ofstream(file, std::ios::trunc) << text;
    return read_examples(file);
  };
  EXPECT_EQ(read(kGood + "\n\n" + kGood)->size(), 2U);
  EXPECT_EQ(read(kGood + "\r\n" + kGood + "\n")->size(), 2U);
  EXPECT_TRUE(read(kGood + "\n\n{}\n").error().message().starts_with(file.string() + ":3: "));
  EXPECT_EQ(read("\n").error().message(), file.string() + ": has no examples");
  EXPECT_FALSE(read_examples(folder.path() / "none"));
}

}  // namespace
}  // namespace redraft
