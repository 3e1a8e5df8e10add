#pragma once

#include <span>
#include <stop_token>

#include "decoding/decoder.h"
#include "decoding/drafting/methods/model_source.h"
#include "decoding/drafting/redraft/pass_pace.h"
#include "decoding/drafting/redraft/proposer.h"
#include "support/token.h"

namespace redraft {

// A draft model that runs when that is expected to pay. The text that it must read first (the
// prompt, or text that was copied without it) is a one-time price, as in the ski rental problem.
// The model pays it once the time that it would have saved in earlier passes adds up to it.
//
// An example. Reading 2000 tokens would take 3 s, and a pass with the model's proposal would be 50
// ms faster than the draft of the other sources. The first 59 such passes run without the model; at
// the 60th it has missed 3 s and reads the tokens. Whatever follows, that takes at most twice as
// long as the best choice in hindsight.
class ModelProposer : public Proposer {
 public:
  static constexpr int kMaxTokens = 8;

  // `target` prices a pass of the target and outlives this.
  ModelProposer(ModelSlot slot, std::span<const TokenId> stop_tokens, std::stop_token stop,
                const PassPace& target);

  Proposal propose(std::span<const TokenId> context, int limit, double rate) override;
  void learn(const Proposal& proposal, std::span<const TokenId> written) override;

  // How often a proposed token is accepted if the ones before it are.
  double right_share() const { return right_ / tries_; }

 private:
  struct Plan {
    int tokens = 0;
    double expected = 1;  // tokens a pass, including the target's own
    double seconds = 0;   // of that pass and the proposal
  };
  Plan best_plan(int context, int limit) const;
  void time(int behind, int tokens);

  ModelSlot slot_;
  ModelSource source_;
  const PassPace& target_;
  double step_seconds_ = 0;  // of one proposed token; 0: unknown
  double read_seconds_ = 0;  // of one token that is read
  double missed_ = 0;        // seconds that it would have saved since it fell behind
  double right_ = 7;         // of right_ out of tries_; a prior
  double tries_ = 10;
};

}  // namespace redraft
