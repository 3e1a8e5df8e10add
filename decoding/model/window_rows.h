#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "decoding/kv_cache.h"
#include "decoding/model/kv_rows.h"
#include "decoding/model/state_copies.h"

namespace redraft {

// The shape of the layers with a sliding window.
struct WindowShape {
  int layers = 0;
  int window = 0;  // positions that a row sees, itself included; at least 1
  int kv_heads = 0;
  int head_dim = 0;

  // How many slots a pass of so many rows needs.
  int slots_for(int rows) const { return (window + rows + 2 * kMargin - 1) / kMargin * kMargin; }

  // How far a sequence can at least be cut back without a copy.
  static constexpr int kMargin = 64;
};

// The keys and values of the layers with a sliding window. There are only as many slots as the
// window and the largest pass so far need, so rows overwrite those that have left the window. That
// is a state that cannot be cut off anywhere: it is known for a length if the window before it has
// not been overwritten, and where it is remembered.
//
// An example with 8 slots and a window of 4. Positions 0..9 have been written, so slots 0 and 1 now
// hold positions 8 and 9, and positions 2..9 are left. A row at position 6 sees 3..6, so the
// sequence can be cut to 6 tokens; to 4 tokens it cannot, since that row would see position 1.
class WindowRows final : public SequenceState {
 public:
  // For sequences of at most `capacity` tokens.
  WindowRows(const WindowShape& shape, int capacity);

  const KvRows& rows() const { return *rows_; }
  // Before a pass writes its rows, for positions committed..committed + context + draft - 1: makes
  // more slots if the pass needs them, so that rows() and its tensors change.
  void begin_pass(int committed, int context, int draft);
  void move(int from, int to) { rows_->move(from, to); }
  // Returns the memory of slots that no token of a sequence of `length` tokens needs.
  void discard(int length);
  // The state for `length` tokens, for which it is known, with what is remembered of less.
  std::unique_ptr<WindowRows> fork(int length) const;
  // The memory that rows and copies of at most `length` tokens take.
  std::size_t held_bytes(int length) const;
  // The lowest position whose row has not been overwritten.
  int lowest() const;

  void commit(std::span<const int> path) override { length_ += static_cast<int>(path.size()); }
  int known_at(int length) const override;
  void restore(int length) override;
  void remember() override;
  std::size_t bytes() const override;
  void copy_out(int length, std::span<std::byte> state) const override;
  void copy_in(int length, std::span<const std::byte> state) override;

 private:
  bool is_here(int length) const { return lowest() == 0 || first_of(length) >= lowest(); }
  // The lowest position that a row at `length` sees.
  int first_of(int length) const;
  void grow(int slots);

  WindowShape shape_;
  int capacity_;
  std::unique_ptr<KvRows> rows_;
  int length_ = 0;  // committed
  int end_ = 0;     // positions from here on have not been written since the last copy came in
  int copied_ = 0;  // positions below this were not in that copy
  StateCopies<std::byte> copies_;
};

}  // namespace redraft
