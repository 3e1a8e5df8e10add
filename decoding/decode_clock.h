#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "decoding/draft_tree.h"
#include "decoding/statistics.h"

namespace redraft {

// Keeps the account of one decode, so that the loop in decoder.cpp reads as the method: it is told
// what begins and what came of it, and reads the time. One thread.
//
// A second belongs to prefill (reading the prompt), to decoding (the rest, from begin_decoding() to
// the end of the last pass, drafting included), or to the listener, which may take long where it
// makes way for more urgent work: that is no cost of this decode. A pass that reads the end of the
// prompt together with a draft is shared between prefill and decoding by its rows.
class DecodeClock {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Listener = std::function<void(const DecodeStatistics&)>;

  // `listener` (may be empty, outlives this) is told after each chunk and each pass. `now`: tests
  // bring their own.
  explicit DecodeClock(const Listener& listener, Time (*now)() = &std::chrono::steady_clock::now)
      : listener_(listener), now_(now) {}

  void found_in_cache(int prompt_tokens, int cached);

  // A chunk of the prompt is read. The seconds that it took.
  void begin_chunk() { began_ = now_(); }
  double end_chunk(int rows);

  void begin_decoding();
  void begin_draft() { began_ = now_(); }
  void end_draft() { statistics_.draft_seconds += seconds_since(began_); }
  void begin_pass() { began_ = now_(); }
  // The model has run. Of `rows`, `read` are those of the prompt; `continues`: see Phase.
  void verified(const DraftTree& draft, int rows, int read, bool continues);
  // A token of the pass that was verified last, and who guessed it; none: it is the target's own.
  void emitted(std::optional<DraftOrigin> origin);
  void end_pass();

  // Times are those of when the listener was told last.
  const DecodeStatistics& statistics() const { return statistics_; }
  // Of the pass that was verified last, without those of the prompt.
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
  Time began_;  // the chunk, draft or pass under way
  Time decoding_began_;
  double elsewhere_ = 0;  // seconds since then that are prefill or the listener's
  int rows_of_pass_ = 0;
  bool pass_has_draft_ = false;
};

}  // namespace redraft
