#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "decoding/draft_tree.h"
#include "decoding/statistics.h"

namespace redraft {

// Accounts for the time of one decode, so that the loop in decoder.cpp reads as the method. The
// loop reports what begins and what came of it; the clock reads the time. One thread.
//
// Each second belongs to one of three: to prefill (reading the prompt), to decoding (from
// begin_decoding() to the end of the last pass, drafting included), or to the listener. The
// listener may take long because it makes way for more urgent work, so its time is not a cost of
// this decode. A pass that reads the end of the prompt together with a draft is divided between
// prefill and decoding in proportion to its rows.
class DecodeClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Listener = std::function<void(const DecodeStatistics&)>;

  // `listener` (may be empty, outlives this) is called after each chunk and each pass. `now`: for
  // tests, which supply their own clock.
  explicit DecodeClock(const Listener& listener, Time (*now)() = &std::chrono::steady_clock::now)
      : listener_(listener), now_(now) {}

  void found_in_cache(int prompt_tokens, int cached);

  // Brackets the reading of one chunk of the prompt. end_chunk() returns the seconds it took.
  void begin_chunk() { began_ = now_(); }
  double end_chunk(int rows);

  void begin_decoding();
  void begin_draft() { began_ = now_(); }
  void end_draft() { statistics_.draft_seconds += seconds_since(began_); }
  void begin_pass() { began_ = now_(); }
  // The model has run a pass of `rows` rows, of which `read` belong to the prompt. `continues`: see
  // Phase.
  void verified(const DraftTree& draft, int rows, int read, bool continues);
  // A token of the pass that was verified last, and who guessed it; nullopt: the target's own
  // token.
  void emitted(std::optional<DraftOrigin> origin);
  void end_pass();

  // The times are those of the last call of the listener.
  const DecodeStatistics& statistics() const { return statistics_; }
  // The rows of the pass that was verified last, without those of the prompt.
  int rows_of_pass() const { return rows_of_pass_; }

 private:
  double seconds_since(Time start) const {
    return std::chrono::duration<double>(now_() - start).count();
  }
  void add_prefill(int tokens, double seconds);
  void tell();

  const Listener& listener_;
  Time (*now_)();
  DecodeStatistics statistics_;
  Time began_;  // start of the current chunk, draft or pass
  Time decoding_began_;
  double elsewhere_ = 0;  // seconds since decoding_began_ that belong to prefill or the listener
  int rows_of_pass_ = 0;
  bool pass_has_draft_ = false;
};

}  // namespace redraft
