#include "lsp/features/statistics_json.h"

#include <string>
#include <string_view>

#include "decoding/statistics_json.h"

namespace redraft::lsp {
namespace {

// Spells names as the protocol does: promptTokens for prompt_tokens.
std::string camel_case(std::string_view name) {
  std::string text;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins_word = name[i] == '_' && i + 1 < name.size();
    text += begins_word ? static_cast<char>(name[++i] - 'a' + 'A') : name[i];
  }
  return text;
}

}  // namespace

Json statistics_json(const DecodeStatistics& statistics) {
  Json json;
  write_report(statistics, json, camel_case);
  return json;
}

}  // namespace redraft::lsp
