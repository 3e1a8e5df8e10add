#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "decoding/draft_origin.h"
#include "support/member_count.h"

namespace redraft {

// Draft tokens or passes, counted by origin: counts[i] belongs to kDraftOrigins[i].
using CountsByOrigin = std::array<std::int64_t, kDraftOriginCount>;

// The cost of one decode and the value of its drafts. Passes and rows are the target's decoding
// passes, without prefill. A new field needs a line in for_each_statistic below; sums and documents
// follow from that.
struct DecodeStatistics {
  int prompt_tokens = 0;
  int cached_prompt_tokens = 0;  // prompt tokens found in the KV cache
  int prefilled_tokens =
      0;               // the other prompt tokens, run so far; the prompt's last one counts as a row
  int new_tokens = 0;  // = bonus_tokens + the sum of accepted_by_origin
  int bonus_tokens =
      0;  // new tokens that are the target's own: after a draft's accepted part, or without a draft
  int passes = 0;               // a draft verified in chunks counts as one pass (see Phase)
  int forwards = 0;             // the target's forward passes; each chunk is one
  int rows = 0;                 // context and draft rows of all passes, without those of the prompt
  int drafted_passes = 0;       // passes that carried a draft
  int drafted_pass_tokens = 0;  // tokens emitted by drafted passes
  // The first pass may read the end of the prompt; that part of its time is prefill.
  double prefill_seconds = 0;
  double decode_seconds = 0;  // all time after prefill, up to the last token
  double draft_seconds =
      0;  // part of decode_seconds spent in draft sources (look-up and draft model)
  // By origin: passes whose draft had tokens of that origin; draft tokens verified; draft tokens
  // emitted.
  CountsByOrigin passes_by_origin{};
  CountsByOrigin drafted_by_origin{};
  CountsByOrigin accepted_by_origin{};

  // Progress of the prefill, 0..1.
  double prefill_fraction() const {
    const int needed = prompt_tokens - 1 - cached_prompt_tokens;
    return needed > 0 ? static_cast<double>(prefilled_tokens) / needed : 1;
  }
  double tokens_per_pass() const { return passes ? static_cast<double>(new_tokens) / passes : 0; }
  // 0 if forward passes were not counted, as in the records of an earlier redraft.
  double tokens_per_forward() const {
    return forwards ? static_cast<double>(new_tokens) / forwards : 0;
  }
  double acceptance_length() const {
    return drafted_passes ? static_cast<double>(drafted_pass_tokens) / drafted_passes : 0;
  }
  double tokens_per_second() const { return decode_seconds > 0 ? new_tokens / decode_seconds : 0; }
  double total_tokens_per_second() const {
    return decode_seconds + prefill_seconds > 0 ? new_tokens / (decode_seconds + prefill_seconds)
                                                : 0;
  }

  // Adds field by field: the cost of several decodes together.
  DecodeStatistics& operator+=(const DecodeStatistics& other);
  bool operator==(const DecodeStatistics& other) const = default;
};

// Which documents contain a field: only those of `redraft bench`, which measures decoders, or every
// report of a decode.
enum class ReportedBy { kBench, kEvery };

// The list of all fields, from which sums, JSON (statistics_json.h) and its reader are derived.
// Calls `visit(name in documents, pointer to member, ReportedBy)` for each.
template <typename Visit>
constexpr void for_each_statistic(const Visit& visit) {
  using enum ReportedBy;
  using Fields = DecodeStatistics;
  visit("prompt_tokens", &Fields::prompt_tokens, kEvery);
  visit("cached_prompt_tokens", &Fields::cached_prompt_tokens, kEvery);
  visit("prefilled_tokens", &Fields::prefilled_tokens, kEvery);
  visit("new_tokens", &Fields::new_tokens, kEvery);
  visit("bonus_tokens", &Fields::bonus_tokens, kBench);
  visit("passes", &Fields::passes, kEvery);
  visit("forwards", &Fields::forwards, kBench);
  visit("rows", &Fields::rows, kEvery);
  visit("drafted_passes", &Fields::drafted_passes, kBench);
  visit("drafted_pass_tokens", &Fields::drafted_pass_tokens, kBench);
  visit("prefill_seconds", &Fields::prefill_seconds, kEvery);
  visit("decode_seconds", &Fields::decode_seconds, kEvery);
  visit("draft_seconds", &Fields::draft_seconds, kEvery);
  visit("accepted_by_source", &Fields::accepted_by_origin, kEvery);
  visit("drafted_by_source", &Fields::drafted_by_origin, kBench);
  visit("passes_by_source", &Fields::passes_by_origin, kBench);
}

constexpr bool every_statistic_is_listed_once() {
  std::array<std::string_view, kMemberCount<DecodeStatistics>> names;
  std::size_t listed = 0;
  bool once = true;
  for_each_statistic([&](std::string_view name, auto, ReportedBy) {
    for (std::size_t i = 0; i < listed && i < names.size(); ++i) once = once && names[i] != name;
    if (listed < names.size()) names[listed] = name;
    ++listed;
  });
  return once && listed == names.size();
}
static_assert(every_statistic_is_listed_once(),
              "a field is missing from for_each_statistic, or a name is listed twice");

}  // namespace redraft
