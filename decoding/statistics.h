#pragma once

#include <array>
#include <cstdint>

#include "decoding/draft_origin.h"

namespace redraft {

// What one decode cost and what its drafts were worth. Passes and rows are the target's decoding
// passes, prefill apart.
struct DecodeStatistics {
  int prompt_tokens = 0;
  int cached_prompt_tokens = 0;  // of them, found in the KV cache
  int prefilled_tokens = 0;      // of the others, run so far; the prompt's last one counts as a row
  int new_tokens = 0;            // = bonus_tokens + the sum of accepted_by_origin
  int bonus_tokens =
      0;  // of them, the target's own: written after the accepted part of a draft, or without one
  int passes = 0;
  int rows = 0;                 // context and draft rows of all passes, without those of the prompt
  int drafted_passes = 0;       // passes that carried a draft
  int drafted_pass_tokens = 0;  // tokens emitted by those
  // The first pass may read the end of the prompt; that part of its time is prefill.
  double prefill_seconds = 0;
  double decode_seconds = 0;  // all the rest until the last token
  double draft_seconds = 0;   // of it, spent in draft sources (look-up and draft model)
  // Passes whose draft had tokens of that origin; draft tokens verified, and those of them that
  // were emitted.
  std::array<std::int64_t, kDraftOriginCount> passes_by_origin{};
  std::array<std::int64_t, kDraftOriginCount> drafted_by_origin{};
  std::array<std::int64_t, kDraftOriginCount> accepted_by_origin{};

  // How far the prefill is, 0..1.
  double prefill_fraction() const {
    const int needed = prompt_tokens - 1 - cached_prompt_tokens;
    return needed > 0 ? static_cast<double>(prefilled_tokens) / needed : 1;
  }
  double tokens_per_pass() const { return passes ? static_cast<double>(new_tokens) / passes : 0; }
  double acceptance_length() const {
    return drafted_passes ? static_cast<double>(drafted_pass_tokens) / drafted_passes : 0;
  }
  double tokens_per_second() const { return decode_seconds > 0 ? new_tokens / decode_seconds : 0; }
  double total_tokens_per_second() const {
    return decode_seconds + prefill_seconds > 0 ? new_tokens / (decode_seconds + prefill_seconds)
                                                : 0;
  }
};

}  // namespace redraft
