#include "cli/common/report.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace redraft::cli {
namespace {

// Benchmarks and other programs read it.
TEST(Report, HasTheMembersThatOtherProgramsRead) {
  Report report;
  report.text = "a";
  report.output = "b";
  report.statistics.prefilled_tokens = 3;
  report.statistics.accepted_by_origin[static_cast<std::size_t>(DraftOrigin::kReuse)] = 4;
  report.decoder = "redraft";
  const auto json = to_json(report);
  std::set<std::string> names;
  for (const auto& [name, value] : json.items()) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"text",
                                          "finish_reason",
                                          "prompt_tokens",
                                          "cached_prompt_tokens",
                                          "prefilled_tokens",
                                          "new_tokens",
                                          "passes",
                                          "rows",
                                          "tokens_per_pass",
                                          "acceptance_length",
                                          "prefill_seconds",
                                          "decode_seconds",
                                          "draft_seconds",
                                          "tokens_per_second",
                                          "total_tokens_per_second",
                                          "accepted_by_source",
                                          "output_sha256",
                                          "decoder",
                                          "target",
                                          "device"}));
  EXPECT_EQ(json["prefilled_tokens"], 3);
  EXPECT_EQ(json["accepted_by_source"]["reuse"], 4);
  EXPECT_EQ(json["accepted_by_source"].size(), kDraftOrigins.size());
  EXPECT_EQ(json["decoder"], "redraft");
}

}  // namespace
}  // namespace redraft::cli
