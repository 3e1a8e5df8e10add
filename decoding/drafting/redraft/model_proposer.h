#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/drafting/methods/model_source.h"
#include "decoding/drafting/redraft/pass_pace.h"
#include "support/token.h"

namespace redraft {

// A draft model that is run when that is expected to pay: when its tokens, at what running it
// takes, beat what the other sources offer. What it must read first (the prompt, or text that was
// copied without it) is paid for like skis that are bought once renting has cost as much: when the
// passes that it would have made faster add up to the price.
class ModelProposer {
 public:
  static constexpr int kMaxTokens = 8;

  // `target` prices a pass of the target; it outlives this.
  ModelProposer(ModelSlot slot, std::span<const TokenId> stop_tokens, std::stop_token stop,
                const PassPace& target);

  // Tokens after `context`, at most `limit`, or none where `rate` tokens a second, which the other
  // sources promise, are no worse.
  std::vector<TokenId> propose(std::span<const TokenId> context, int limit, double rate);
  // `written` is the output since propose(), which proposed `proposal`.
  void learn(std::span<const TokenId> proposal, std::span<const TokenId> written);

  // What the last propose() took.
  double seconds() const { return seconds_; }
  // How often the next proposed token stands when those before it do.
  double right_share() const { return right_ / tries_; }

 private:
  struct Plan {
    int tokens = 0;
    double expected = 1;  // tokens a pass, with the target's own
    double seconds = 0;   // of that pass and the proposal
  };
  Plan best_plan(int context, int limit) const;
  void time(int behind, int tokens);

  ModelSlot slot_;
  ModelSource source_;
  const PassPace& target_;
  double step_seconds_ = 0;  // of one proposed token; 0: not known yet
  double read_seconds_ = 0;  // of one token that is read
  double missed_ = 0;        // seconds that it would have saved since it fell behind
  double seconds_ = 0;
  double right_ = 7;  // of so many tries
  double tries_ = 10;
};

}  // namespace redraft
