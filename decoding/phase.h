#pragma once

#include <span>

#include "decoding/acceptance.h"
#include "decoding/draft_source.h"
#include "support/token.h"

namespace redraft {

// What the loop does in one pass: who guesses, which guesses stand, and what becomes of the
// target's own token.
struct Phase {
  DraftSource* source = nullptr;  // null: no draft, a plain step
  AcceptancePolicy policy = {};
  // False: the target's own token after the accepted part of a draft is dropped unless it ends the
  // output.
  bool keep_correction = true;
  // True: this pass and the one before count as one. A long draft was cut so that a cancel need not
  // wait for all of it, and what came before stands in full.
  bool continues_pass = false;
  const char* name = "draft";  // for those who look inside; a literal
};

// Chooses the phase of each pass of one decode from what has been written so far.
class PhasePlan {
 public:
  virtual ~PhasePlan() = default;
  // `context` is prompt and output so far; it only ever grows from call to call. The source lives
  // as long as the plan.
  virtual Phase next(std::span<const TokenId> context) = 0;
};

}  // namespace redraft
