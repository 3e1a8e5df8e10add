#pragma once

#include <span>

#include "decoding/acceptance.h"
#include "decoding/draft_source.h"
#include "support/token.h"

namespace redraft {

// The rules of one pass: which source drafts, which draft tokens are accepted, and whether the
// target's own token is kept.
struct Phase {
  DraftSource* source = nullptr;  // null: no draft, a plain step
  AcceptancePolicy policy = {};
  // False: drop the target's own token after the accepted part of a draft, unless it ends the
  // output.
  bool keep_correction = true;
  // True: this pass and the one before count as one. A long draft was split, so that a cancellation
  // does not have to wait for all of it, and the previous part was accepted in full.
  bool continues_pass = false;
  const char* name = "draft";  // for traces; a string literal
};

// Chooses the phase of each pass of one decode from what has been written so far.
class PhasePlan {
 public:
  virtual ~PhasePlan() = default;
  // `context` is the prompt and the output so far; from call to call it only grows. The source
  // lives as long as the plan.
  virtual Phase next(std::span<const TokenId> context) = 0;
};

}  // namespace redraft
