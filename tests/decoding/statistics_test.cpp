#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "decoding/statistics_json.h"

namespace redraft {
namespace {

using testing::Contains;
using testing::Not;

// Every field, and every count by origin, with a number of its own.
DecodeStatistics all_different(int first) {
  DecodeStatistics statistics;
  for_each_statistic([&](const char*, auto field, ReportedBy) {
    if constexpr (requires { (statistics.*field).size(); }) {
      for (auto& count : statistics.*field) count = first++;
    } else {
      statistics.*field = first++;
    }
  });
  return statistics;
}

// Each number of it, in the order of the struct. A field that is added does not compile here.
std::vector<double> numbers(const DecodeStatistics& statistics) {
  const auto& [prompt, cached, prefilled, written, bonus, passes, forwards, rows, drafted_passes,
               drafted_pass_tokens, prefill_seconds, decode_seconds, draft_seconds,
               passes_by_origin, drafted_by_origin, accepted_by_origin] = statistics;
  std::vector<double> all = {double(prompt),         double(cached),
                             double(prefilled),      double(written),
                             double(bonus),          double(passes),
                             double(forwards),       double(rows),
                             double(drafted_passes), double(drafted_pass_tokens),
                             prefill_seconds,        decode_seconds,
                             draft_seconds};
  for (const CountsByOrigin* counts : {&passes_by_origin, &drafted_by_origin, &accepted_by_origin})
    all.insert(all.end(), counts->begin(), counts->end());
  return all;
}

TEST(Statistics, TheListReachesEveryField) {
  const std::vector<double> all = numbers(all_different(1));
  EXPECT_EQ(all.size(), 13U + 3U * kDraftOriginCount);
  EXPECT_THAT(all, Not(Contains(0)));
  EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), all.size());
}

TEST(Statistics, AreSummedFieldByField) {
  DecodeStatistics sum = all_different(1);
  sum += all_different(1000);
  const std::vector<double> one = numbers(all_different(1));
  const std::vector<double> other = numbers(all_different(1000));
  const std::vector<double> both = numbers(sum);
  for (std::size_t i = 0; i < both.size(); ++i) EXPECT_EQ(both[i], one[i] + other[i]) << i;
}

// As little of a JSON library as statistics_json.h may ask for.
struct Json {
  std::map<std::string, Json> members;
  double number = 0;

  Json() = default;
  template <typename Number>
  Json(Number value)  // NOLINT(google-explicit-constructor): as libraries do
      : number(static_cast<double>(value)) {}
  static Json object() { return {}; }
  Json& operator[](const std::string& name) { return members[name]; }
};

TEST(StatisticsJson, HasEveryFieldUnderItsName) {
  const DecodeStatistics statistics = all_different(1);
  Json json;
  write_fields(statistics, ReportedBy::kBench, json);
  EXPECT_EQ(json.members.size(), kMemberCount<DecodeStatistics>);
  EXPECT_EQ(json["prompt_tokens"].number, statistics.prompt_tokens);
  EXPECT_EQ(json["prefilled_tokens"].number, statistics.prefilled_tokens);
  EXPECT_EQ(json["bonus_tokens"].number, statistics.bonus_tokens);
  EXPECT_EQ(json["draft_seconds"].number, statistics.draft_seconds);
  for (const NamedDraftOrigin& origin : kDraftOrigins) {
    const auto index = static_cast<std::size_t>(origin.origin);
    EXPECT_EQ(json["accepted_by_source"][origin.name].number, statistics.accepted_by_origin[index]);
    EXPECT_EQ(json["drafted_by_source"][origin.name].number, statistics.drafted_by_origin[index]);
    EXPECT_EQ(json["passes_by_source"][origin.name].number, statistics.passes_by_origin[index]);
  }
}

TEST(StatisticsJson, AReportHasWhatEveryReportHasAndWhatFollowsFromIt) {
  const DecodeStatistics statistics = all_different(1);
  Json json;
  write_report(statistics, json, [](const std::string& name) { return "the " + name; });
  std::set<std::string> names;
  for (const auto& [name, value] : json.members) names.insert(name);
  EXPECT_EQ(names, (std::set<std::string>{"the prompt_tokens", "the cached_prompt_tokens",
                                          "the prefilled_tokens", "the new_tokens", "the passes",
                                          "the rows", "the prefill_seconds", "the decode_seconds",
                                          "the draft_seconds", "the accepted_by_source",
                                          "the tokens_per_pass", "the acceptance_length",
                                          "the tokens_per_second", "the total_tokens_per_second"}));
  EXPECT_EQ(json["the acceptance_length"].number, statistics.acceptance_length());
}

}  // namespace
}  // namespace redraft
