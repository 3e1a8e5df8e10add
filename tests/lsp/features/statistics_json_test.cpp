#include "lsp/features/statistics_json.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace redraft::lsp {
namespace {

TEST(StatisticsJson, HasTheMembersOfTheProtocol) {
  DecodeStatistics statistics;
  statistics.cached_prompt_tokens = 3;
  statistics.accepted_by_origin[static_cast<std::size_t>(DraftOrigin::kReuse)] = 4;
  const Json json = statistics_json(statistics);
  std::set<std::string> names;
  for (const auto& [name, value] : json.items()) names.insert(name);
  EXPECT_EQ(names,
            (std::set<std::string>{
                "promptTokens", "cachedPromptTokens", "prefilledTokens", "newTokens", "passes",
                "rows", "tokensPerPass", "acceptanceLength", "prefillSeconds", "decodeSeconds",
                "draftSeconds", "tokensPerSecond", "totalTokensPerSecond", "acceptedBySource"}));
  EXPECT_EQ(json["cachedPromptTokens"], 3);
  EXPECT_EQ(json["acceptedBySource"]["reuse"], 4);
  EXPECT_EQ(json["acceptedBySource"].size(), kDraftOrigins.size());
}

}  // namespace
}  // namespace redraft::lsp
