#pragma once

#include <memory>
#include <utility>

#include "decoding/draft_source.h"
#include "decoding/phase.h"

namespace redraft {

// Uses the same phase for every pass: the source drafts, the strict rule decides, and the target's
// own token is kept.
class SourcePlan : public PhasePlan {
 public:
  explicit SourcePlan(std::unique_ptr<DraftSource> source) : source_(std::move(source)) {}
  Phase next(std::span<const TokenId>) override { return {.source = source_.get()}; }

 private:
  std::unique_ptr<DraftSource> source_;
};

}  // namespace redraft
