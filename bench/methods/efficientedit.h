#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "bench/methods/remainder_source.h"
#include "decoding/decoder.h"
#include "decoding/drafting/methods/model_source.h"
#include "decoding/phase.h"
#include "support/token.h"

namespace redraft {

struct EfficientEditOptions {
  int gamma = 7;                 // tokens the draft model proposes
  int key = 7;                   // generated tokens that must match the original to return to reuse
  bool reuse_only = false;       // no draft model in the generate phase
  bool keep_correction = false;  // keep the target's own token at a mismatch
  int chunk = 1;                 // tokens of the original that one pass verifies
};

// EfficientEdit (section III): the rest of the original is itself the draft. At the first mismatch
// an edit begins, which the draft model proposes and the target verifies. Once the last `key`
// tokens of it occur in the rest of the original, reuse continues after them. In the reuse phase
// the target's own token only tells whether the output ends (`keep_correction` keeps it). The paper
// verifies the whole rest in one pass. Here it is split into chunks so that it can be cancelled,
// and all chunks count as that one pass.
//
// An example with gamma = key = 2. The original is "a b c d e f g", the target writes "a b X c d e
// f g":
//   reuse     draft "a b c d e f g": "a b" is accepted, "c" is not
//   generate  the draft model proposes "X c": both are accepted, and the target adds "d"
//   reuse     "c d" occurs in the rest of the original: draft "e f g", which is accepted
class EfficientEditPlan : public PhasePlan {
 public:
  // `generate_rule`: of the generate phase; null: strict, as the reuse phase always is.
  EfficientEditPlan(const EfficientEditOptions& options,
                    std::unique_ptr<const LossyRule> generate_rule, const DecodeRequest& request,
                    ModelSlot draft, std::stop_token stop);

  Phase next(std::span<const TokenId> context) override;

 private:
  // Whether `context` requires the reuse phase, given the phase of the last pass.
  bool reuse_follows(std::span<const TokenId> context);

  EfficientEditOptions options_;
  std::unique_ptr<const LossyRule> generate_rule_;
  RemainderSource remainder_;
  std::unique_ptr<ModelSource> model_;  // null: reuse only
  bool reusing_ = true;
  std::size_t phase_begin_;  // size of the context where the generate phase began
  std::size_t pass_begin_;   // size of the context before the last pass
};

}  // namespace redraft
