#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoding/draft_source.h"
#include "support/token.h"

namespace redraft {

// The rest of the original, a chunk at a time: what EfficientEdit and FastFixer verify while they
// reuse it.
class RemainderSource : public DraftSource {
 public:
  RemainderSource(std::span<const TokenId> original, int chunk)
      : original_(original.begin(), original.end()), chunk_(chunk) {}

  DraftTree draft(std::span<const TokenId> context, int limit) override;

  std::span<const TokenId> original() const { return original_; }
  // Where the rest begins.
  std::size_t position() const { return position_; }
  bool exhausted() const { return position_ >= original_.size(); }
  // `written` is the output since draft(): passes over it. False when it parts from the original or
  // falls short of the draft.
  bool advance(std::span<const TokenId> written);
  // Moves behind the first place ahead that equals `key`; what is skipped is lost. False when there
  // is none.
  bool resume_after(std::span<const TokenId> key);
  // `position` <= original().size()
  void resume_at(std::size_t position) { position_ = position; }

 private:
  std::vector<TokenId> original_;
  std::size_t position_ = 0;
  std::size_t drafted_ = 0;
  int chunk_;
};

struct PlanInputs;

// Tokens of the original for one pass: as many as are verified cheapest by the row and leave a
// cancel nothing to wait for.
int reuse_chunk(const PlanInputs& inputs);

}  // namespace redraft
