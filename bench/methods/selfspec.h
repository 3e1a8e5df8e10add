#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/draft_source.h"
#include "decoding/model_powers.h"
#include "decoding/skipped_layers.h"
#include "support/token.h"

namespace redraft {

struct SelfSpecOptions {
  int tokens = 8;          // K: maximum number of tokens in a draft
  double threshold = 0.8;  // a draft ends with a token less likely than this
  bool adapts = true;      // the threshold follows the share of accepted tokens:
  double alpha = 0.9;      // the target share
  double epsilon = 0.01;   // its step
  double beta1 = 0.5;      // weight of the previous share
  double beta2 = 0.9;      // weight of the previous threshold
};

// When a draft ends (Zhang et al. 2023, section 3.4).
class DraftExit {
 public:
  explicit DraftExit(const SelfSpecOptions& options)
      : options_(options), threshold_(options.threshold) {}

  double threshold() const { return threshold_; }
  // The target accepted `accepted` of `drafted` tokens; `drafted` is at least 1.
  void learn(int drafted, int accepted);

 private:
  SelfSpecOptions options_;
  double threshold_;
  double share_ = 0;  // of drafted tokens that were accepted, smoothed
};

// Self-speculative decoding ("Draft & Verify"): the target itself drafts, with some of its
// sublayers skipped. It reads the target's own keys and values of the context; those that it writes
// are dropped before the target verifies.
class SelfSpecSource : public DraftSource {
 public:
  // `stop` is checked before every step; once it is set there is no draft.
  SelfSpecSource(const SelfSpecOptions& options, ModelSlot target, SkippedLayers skipped,
                 std::span<const TokenId> stop_tokens, std::stop_token stop);

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void observe(const VerifiedDraft& pass) override;

 private:
  std::vector<TokenId> propose(TokenId last, int most);

  SelfSpecOptions options_;
  ModelSlot target_;
  SkippedLayers skipped_;
  std::vector<TokenId> stop_tokens_;
  std::stop_token stop_;
  DraftExit exit_;
  std::vector<TokenId> proposed_;
};

}  // namespace redraft
