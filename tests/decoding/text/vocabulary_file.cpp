#include "tests/decoding/text/vocabulary_file.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace redraft {

Result<TokenizerSpec> read_vocabulary(const std::filesystem::path& file) try {
  std::ifstream stream(file);
  if (!stream) return Error(file.string() + ": cannot be read");
  const nlohmann::json json = nlohmann::json::parse(stream);
  TokenizerSpec spec;
  json.at("pre_tokenizer").get_to(spec.pre_tokenizer);
  json.at("tokens").get_to(spec.tokens);
  json.at("types").get_to(spec.types);
  json.at("merges").get_to(spec.merges);
  json.at("end_of_text").get_to(spec.end_of_text);
  return spec;
} catch (const nlohmann::json::exception& problem) {
  return Error(file.string() + ": " + problem.what());
}

}  // namespace redraft
