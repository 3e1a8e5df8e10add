#include "cli/common/token_trace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/kit/edit_script.h"
#include "tests/kit/temp_folder.h"
#include "workspace/edit/run_edit.h"

namespace redraft::cli {
namespace {

using nlohmann::json;

// An edit of a text with characters of several tokens, and the trace of it.
class TokenTraceTest : public testing::Test {
 protected:
  EditResult edit(const std::string& decoder) {
    const Result<EditResult> result =
        run_edit(*engine_,
                 {.document = *Document::make("a.py", 1, "old = 1\n# naïve 🙂\nprint(old)\n"),
                  .instruction = "rename",
                  .range = std::nullopt,
                  .decoder = *parse_decoder_name(decoder)},
                 {}, {});
    EXPECT_TRUE(result);
    return *result;
  }
  std::vector<json> lines() const {
    std::ifstream in(file_);
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }
  static std::vector<json> tokens(const std::vector<json>& lines, int decode) {
    std::vector<json> tokens;
    for (const json& line : lines) {
      if (line.contains("n") && line["decode"] == decode) tokens.push_back(line);
    }
    return tokens;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "tokens.jsonl";
  std::unique_ptr<Engine> engine_ =
      std::move(*make_scripted_engine({.edits = {{"rename", "old", "fresh"}}}));
};

TEST_F(TokenTraceTest, TellsEveryTokenOfEveryDecode) {
  EditResult drafted, plain;
  {
    const auto trace = TokenTrace::begin(file_, *engine_);
    ASSERT_TRUE(trace);
    drafted = edit("redraft");
    (*trace)->set_task("t1");
    plain = edit("ar");
  }
  const std::vector<json> lines = this->lines();
  EXPECT_EQ(lines.at(0).at("redraft_token_trace"), 1);
  EXPECT_EQ(lines.at(0).at("target"), "scripted");
  EXPECT_EQ(lines.at(1).at("decoder"), "redraft");
  EXPECT_EQ(lines.at(1).at("purpose"), "edit");
  EXPECT_FALSE(lines.at(1).contains("task"));
  std::map<std::string, int> origins;
  std::string text;
  int next = 0;
  for (const json& token : tokens(lines, 1)) {
    EXPECT_EQ(token.at("n"), next++);
    EXPECT_EQ(token.at("phase"), "draft");
    ++origins[token.at("origin")];
    if (token.contains("bytes")) {  // one token a byte
      text += static_cast<char>(std::stoi(token.at("bytes").get<std::string>(), nullptr, 16));
    } else {
      text += token.at("text").get<std::string>();
    }
  }
  EXPECT_EQ(text, drafted.output);
  EXPECT_EQ(origins["target"], drafted.statistics.bonus_tokens);
  for (int origin = 0; origin < kDraftOriginCount; ++origin) {
    EXPECT_EQ(origins[to_string(static_cast<DraftOrigin>(origin))],
              drafted.statistics.accepted_by_origin[static_cast<std::size_t>(origin)]);
  }
  EXPECT_GT(origins["reuse"], 0);
  for (const json& token : tokens(lines, 2)) {
    EXPECT_EQ(token.at("origin"), "target");
    EXPECT_EQ(token.at("phase"), "plain");
    EXPECT_EQ(token.at("rows"), 1);
  }
  const json& end = lines.back();
  EXPECT_EQ(end.at("decode"), 2);
  EXPECT_EQ(end.at("tokens"), plain.statistics.new_tokens);
  EXPECT_EQ(end.at("passes"), plain.statistics.passes);
  for (const json& line : lines) {
    if (line.contains("decoder") && line["decode"] == 2) {
      EXPECT_EQ(line.at("task"), "t1");
    }
  }
}

// Of an edit at the beginning and one further on: what is between them is reused.
TEST_F(TokenTraceTest, TellsThePhaseAndThePassOfEachToken) {
  EditResult edited;
  {
    const auto trace = TokenTrace::begin(file_, *engine_);
    ASSERT_TRUE(trace);
    edited = edit("efficientedit:reuse-only");
  }
  const std::vector<json> lines = tokens(this->lines(), 1);
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(edited.statistics.new_tokens));
  EXPECT_EQ(lines.front().at("pass"), 2) << "in the first pass nothing of the original was right";
  int pass = 2;
  std::vector<std::string> phases;
  for (const json& token : lines) {
    const std::string phase = token.at("phase");
    if (phases.empty() || phases.back() != phase) phases.push_back(phase);
    EXPECT_EQ(token.at("origin"), phase == "reuse" ? "reuse" : "target") << token;
    EXPECT_GE(token.at("pass"), pass);
    EXPECT_GE(token.at("rows"), 1);
    pass = token.at("pass");
  }
  EXPECT_EQ(phases, (std::vector<std::string>{"generate", "reuse", "generate"}));
}

TEST_F(TokenTraceTest, ChangesNoToken) {
  const std::string before = edit("redraft").output;
  const auto trace = TokenTrace::begin(file_, *engine_);
  ASSERT_TRUE(trace);
  EXPECT_EQ(edit("redraft").output, before);
}

TEST_F(TokenTraceTest, IsNotThereUnlessItWasNamed) {
  const auto trace = TokenTrace::begin({}, *engine_);
  ASSERT_TRUE(trace);
  EXPECT_EQ(*trace, nullptr);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

}  // namespace
}  // namespace redraft::cli
