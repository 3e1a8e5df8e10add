#include "decoding/decode_clock.h"

#include <cstddef>

namespace redraft {

void DecodeClock::found_in_cache(int prompt_tokens, int cached) {
  statistics_.prompt_tokens = prompt_tokens;
  statistics_.cached_prompt_tokens = cached;
}

double DecodeClock::end_chunk(int rows) {
  const double seconds = seconds_since(began_);
  add_prefill(rows, seconds);
  tell();
  return seconds;
}

void DecodeClock::begin_decoding() {
  decoding_began_ = now_();
  elsewhere_ = 0;
}

void DecodeClock::verified(const DraftTree& draft, int rows, int read, bool continues) {
  add_prefill(read, seconds_since(began_) * read / rows);
  rows_of_pass_ = rows - read;
  pass_has_draft_ = !draft.empty();
  const int passes = continues ? 0 : 1;
  statistics_.passes += passes;
  ++statistics_.forwards;
  statistics_.rows += rows_of_pass_;
  if (pass_has_draft_) statistics_.drafted_passes += passes;
  CountsByOrigin drafted{};
  for (const DraftOrigin origin : draft.origins()) ++drafted[static_cast<std::size_t>(origin)];
  for (std::size_t origin = 0; origin < drafted.size(); ++origin) {
    statistics_.drafted_by_origin[origin] += drafted[origin];
    if (drafted[origin] > 0) statistics_.passes_by_origin[origin] += passes;
  }
}

void DecodeClock::emitted(std::optional<DraftOrigin> origin) {
  ++statistics_.new_tokens;
  if (pass_has_draft_) ++statistics_.drafted_pass_tokens;
  if (origin) {
    ++statistics_.accepted_by_origin[static_cast<std::size_t>(*origin)];
  } else {
    ++statistics_.bonus_tokens;
  }
}

void DecodeClock::end_pass() {
  statistics_.decode_seconds = seconds_since(decoding_began_) - elsewhere_;
  tell();
}

void DecodeClock::add_prefill(int tokens, double seconds) {
  statistics_.prefilled_tokens += tokens;
  statistics_.prefill_seconds += seconds;
  elsewhere_ += seconds;
}

void DecodeClock::tell() {
  if (!listener_) return;
  const Time start = now_();
  listener_(statistics_);
  elsewhere_ += seconds_since(start);
}

}  // namespace redraft
