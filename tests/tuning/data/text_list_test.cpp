#include "tuning/data/text_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/kit/temp_folder.h"
#include "tests/text/tokenizer_kit.h"

namespace redraft {
namespace {

class Texts : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::shared_ptr<const Tokenizer> tokenizer_ = tiny_tokenizer();
  SimilarTexts excluded_;
};

std::string python_file(int lines, const std::string& name) {
  std::string out;
  for (int i = 0; i < lines; ++i) out += name + std::to_string(i) + " = call(" + name + ")\n";
  return out;
}

TEST_F(Texts, FilesAreCutIntoPieces) {
  folder_.write("p/a.py", python_file(40, "alpha"));
  folder_.write("p/tests/test_a.py", python_file(40, "beta"));
  folder_.write("p/README.md", python_file(40, "gamma"));
  TextList list(excluded_);
  ASSERT_TRUE(list.add_files(folder_ / "p", true));
  const std::vector<TextToRecord> texts = list.texts(*tokenizer_, {.piece = 64});
  ASSERT_GT(texts.size(), 3U);
  std::vector<TokenId> all;
  for (const TextToRecord& text : texts) {
    EXPECT_LE(text.tokens.size(), 64U);
    EXPECT_EQ(text.first, 1);
    EXPECT_EQ(text.source, 0);
    all.insert(all.end(), text.tokens.begin(), text.tokens.end());
  }
  EXPECT_EQ(all, tokenizer_->encode(python_file(40, "alpha")));
  EXPECT_FALSE(list.add_files(folder_ / "none", true));
}

TEST_F(Texts, TheLimitKeepsABeginning) {
  for (int i = 0; i < 8; ++i)
    folder_.write("p/f" + std::to_string(i) + ".py", python_file(10, "v" + std::to_string(i)));
  const auto texts_of = [&](std::int64_t limit) {
    TextList list(excluded_);
    EXPECT_TRUE(list.add_files(folder_ / "p", true));
    return list.texts(*tokenizer_, {.piece = 100, .tokens = limit});
  };
  const auto all = texts_of(0);
  const auto some = texts_of(500);
  ASSERT_LT(some.size(), all.size());
  std::int64_t tokens = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_LT(tokens, 500);
    EXPECT_EQ(some[i].tokens, all[i].tokens);
    tokens += static_cast<std::int64_t>(some[i].tokens.size());
  }
  EXPECT_GE(tokens, 500);
  // Not in the order of names.
  EXPECT_FALSE(std::is_sorted(all.begin(), all.end(),
                              [](const auto& a, const auto& b) { return a.source < b.source; }));
}

TEST_F(Texts, ExamplesTeachTheirTargets) {
  const TuningExample example{
      .prompt = "a question", .target = "an answer", .learn = {{3, 9}}, .source = "e"};
  const TuningExample longer{
      .prompt = std::string(500, 'x'), .target = "y", .learn = {{0, 1}}, .source = "l"};
  folder_.write("e.jsonl", to_json_line(example) + to_json_line(longer));
  TextList list(excluded_);
  ASSERT_TRUE(list.add_examples(folder_ / "e.jsonl"));
  const std::vector<TextToRecord> texts = list.texts(*tokenizer_, {.example = 100});
  ASSERT_EQ(texts.size(), 1U);
  EXPECT_EQ(list.left_out["examples that are too long"], 1);
  const auto prompt = tokenizer_->encode("a question");
  const auto target = tokenizer_->encode("an answer");
  EXPECT_EQ(texts[0].first, static_cast<int>(prompt.size()));
  std::vector<TokenId> both = prompt;
  both.insert(both.end(), target.begin(), target.end());
  EXPECT_EQ(texts[0].tokens, both);
}

TEST_F(Texts, LicencesAndExcludedTextsKeepFilesOut) {
  folder_.write("p/good.py", python_file(20, "good"));
  folder_.write("p/gpl.py", "# SPDX-License-Identifier: GPL-3.0-only\n" + python_file(20, "gpl"));
  folder_.write("p/known.py", python_file(20, "known"));
  excluded_.add(python_file(20, "known"));
  for (const bool check : {true, false}) {
    TextList list(excluded_);
    ASSERT_TRUE(list.add_files(folder_ / "p", check));
    EXPECT_EQ(list.left_out["files like an excluded text"], 1);
    EXPECT_EQ(list.left_out["files that state a licence off the list"], check ? 1 : 0);
    EXPECT_EQ(list.texts(*tokenizer_, {.piece = 1 << 16}).size(), check ? 1U : 2U);
  }
  const TuningExample example{
      .prompt = "q", .target = python_file(20, "known"), .learn = {{0, 1}}, .source = "e"};
  folder_.write("e.jsonl", to_json_line(example));
  TextList list(excluded_);
  ASSERT_TRUE(list.add_examples(folder_ / "e.jsonl"));
  EXPECT_EQ(list.left_out["examples like an excluded text"], 1);
}

}  // namespace
}  // namespace redraft
