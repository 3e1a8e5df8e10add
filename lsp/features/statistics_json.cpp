#include "lsp/features/statistics_json.h"

#include "decoding/draft_tree.h"

namespace redraft::lsp {

Json statistics_json(const DecodeStatistics& statistics) {
  Json accepted = Json::object();
  for (std::size_t i = 0; i < statistics.accepted_by_origin.size(); ++i) {
    accepted[to_string(static_cast<DraftOrigin>(i))] = statistics.accepted_by_origin[i];
  }
  return {{"promptTokens", statistics.prompt_tokens},
          {"cachedPromptTokens", statistics.cached_prompt_tokens},
          {"prefilledTokens", statistics.prefilled_tokens},
          {"newTokens", statistics.new_tokens},
          {"passes", statistics.passes},
          {"rows", statistics.rows},
          {"tokensPerPass", statistics.tokens_per_pass()},
          {"acceptanceLength", statistics.acceptance_length()},
          {"prefillSeconds", statistics.prefill_seconds},
          {"decodeSeconds", statistics.decode_seconds},
          {"tokensPerSecond", statistics.tokens_per_second()},
          {"totalTokensPerSecond", statistics.total_tokens_per_second()},
          {"acceptedBySource", std::move(accepted)}};
}

}  // namespace redraft::lsp
