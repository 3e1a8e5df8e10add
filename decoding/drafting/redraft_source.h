#pragma once

#include <span>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder.h"
#include "decoding/drafting/original_tracker.h"
#include "decoding/drafting/priced_draft.h"
#include "decoding/drafting/redraft_options.h"
#include "decoding/drafting/suffix_index.h"
#include "decoding/phase.h"
#include "support/token.h"

namespace redraft {

// The default: the original from where the output stands in it, and the longest match of the
// output's end anywhere in prompt and output, merged into one small tree that is worth its price.
class RedraftSource : public DraftSource {
 public:
  RedraftSource(const DecodeRequest& request, const CostCurve& cost,
                const RedraftOptions& options = {});

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  void absorb(std::span<const TokenId> context);

  RedraftOptions options_;
  std::size_t prompt_size_;
  SuffixIndex text_;  // prompt and output
  OriginalTracker original_;
  PricedDraft priced_;
};

// One phase for ever: the source knows by itself whether it reuses or copies.
class RedraftPlan : public PhasePlan {
 public:
  RedraftPlan(const DecodeRequest& request, const CostCurve& cost,
              const RedraftOptions& options = {})
      : source_(request, cost, options) {}
  Phase next(std::span<const TokenId>) override { return {.source = &source_, .policy = {}}; }

 private:
  RedraftSource source_;
};

}  // namespace redraft
