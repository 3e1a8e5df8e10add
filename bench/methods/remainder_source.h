#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoding/draft_source.h"
#include "support/token.h"

namespace redraft {

// The rest of the original, one chunk at a time. EfficientEdit and FastFixer verify it while they
// reuse the original.
class RemainderSource : public DraftSource {
 public:
  RemainderSource(std::span<const TokenId> original, int chunk)
      : original_(original.begin(), original.end()), chunk_(chunk) {}

  DraftTree draft(std::span<const TokenId> context, int limit) override;

  std::span<const TokenId> original() const { return original_; }
  // Where the rest begins.
  std::size_t position() const { return position_; }
  bool exhausted() const { return position_ >= original_.size(); }
  // Moves past `written`, the output since draft(). False if it differs from the original or is
  // shorter than the draft.
  bool advance(std::span<const TokenId> written);
  // Moves past the first position ahead that equals `key`; the skipped text is not drafted again.
  // False if there is none.
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

// How many tokens of the original to verify in one pass: as many as cost least per row, but not so
// many that a cancellation would have to wait.
int reuse_chunk(const PlanInputs& inputs);

}  // namespace redraft
