#pragma once

#include <span>

#include "decoding/acceptance.h"
#include "decoding/draft_source.h"
#include "support/token.h"

namespace redraft {

// What the loop does in one pass: which source drafts, which draft tokens are accepted, and what
// becomes of the target's own token.
//
// The last three members serve decoders of the laboratory (bench/methods). They are part of the
// core because only the loop can do what they say: a plan is asked before a pass and sees its
// result when the tokens are emitted and counted.
struct Phase {
  DraftSource* source = nullptr;     // null: no draft, a plain step
  const char* name = "draft";        // for traces; a string literal
  const LossyRule* lossy = nullptr;  // null: the strict rule; lives as long as the plan
  // False: the target's own token after the accepted part of a draft is dropped, unless it ends the
  // output.
  bool keep_correction = true;
  // True: this pass and the one before count as one. A long draft was split, so that a cancellation
  // does not have to wait for all of it, and the previous part was accepted in full.
  bool continues_pass = false;
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
