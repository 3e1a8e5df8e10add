#pragma once

#include <span>

#include "decoding/draft_source.h"
#include "decoding/drafting/redraft/sources/guess_source.h"
#include "support/token.h"

namespace redraft {

// A source that takes time to make its proposal, and therefore runs only where that is expected to
// pay: where its tokens, including the time for running it, come faster than those of the other
// sources. Its proposal becomes one more source of guesses.
class Proposer {
 public:
  virtual ~Proposer() = default;

  // The tokens that follow `context`, at most `limit`. Called once with the context of every draft.
  // Empty if the other sources, which promise `rate` tokens a second, are at least as fast.
  virtual Proposal propose(std::span<const TokenId> context, int limit, double rate) = 0;
  // `written` is the output since propose(), which returned `proposal`.
  virtual void learn(const Proposal& proposal, std::span<const TokenId> written) = 0;
  // See DraftSource::observe().
  virtual void observe(const VerifiedDraft& /*pass*/) {}
  // The duration of the last propose(), in seconds.
  double seconds() const { return seconds_; }

 protected:
  double seconds_ = 0;
};

// The factor by which a proposal must beat the other sources to be worth a run.
inline constexpr double kProposalMargin = 1.05;

// A running mean of timings; 0 while there is none.
inline void blend_seconds(double& mean, double newest) {
  constexpr double kNewest = 0.2;
  mean = mean > 0 ? mean + kNewest * (newest - mean) : newest;
}

}  // namespace redraft
