#include "tests/text/tokenizer_kit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace redraft {
namespace {

nlohmann::json read_data(const std::string& file) {
  std::ifstream stream(std::string(REDRAFT_TEXT_DATA) + "/" + file);
  return nlohmann::json::parse(stream);
}

}  // namespace

TokenizerSpec tiny_spec(const std::string& pre_tokenizer) {
  const bool gemma4 = pre_tokenizer == "gemma4";
  const nlohmann::json json = read_data(gemma4 ? "tiny_gemma4.json" : "tiny.json");
  TokenizerSpec spec;
  spec.pre_tokenizer = pre_tokenizer;
  spec.ignore_merges =
      pre_tokenizer == "llama-bpe" || pre_tokenizer == "gpt-4o" || pre_tokenizer == "tekken";
  json.at("tokens").get_to(spec.tokens);
  json.at("types").get_to(spec.types);
  json.at("merges").get_to(spec.merges);
  json.at("end_of_text").get_to(spec.end_of_text);
  return spec;
}

std::shared_ptr<const Tokenizer> tiny_tokenizer(const std::string& pre_tokenizer) {
  auto tokenizer = Tokenizer::make(tiny_spec(pre_tokenizer));
  if (!tokenizer) throw std::runtime_error(tokenizer.error().message());
  return *tokenizer;
}

void check_golden_ids(const Tokenizer& tokenizer, const std::string& golden_file) {
  const auto texts = read_data("texts.json").get<std::vector<std::string>>();
  const auto golden = read_data(golden_file).get<std::vector<std::vector<TokenId>>>();
  ASSERT_EQ(texts.size(), golden.size());
  ASSERT_GE(texts.size(), 1000u);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::vector<TokenId> ids = tokenizer.encode(texts[i]);
    EXPECT_EQ(ids, golden[i]) << "text " << i << ": "
                              << nlohmann::json(texts[i]).dump(-1, ' ', true);
    if (tokenizer.covers(texts[i])) {
      EXPECT_EQ(tokenizer.decode(ids), texts[i]);
    }
  }
}

}  // namespace redraft
