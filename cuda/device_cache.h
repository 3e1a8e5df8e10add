#pragma once

#include <memory>
#include <vector>

#include "cuda/layer.h"
#include "cuda/runtime.h"
#include "cuda/sequence.h"
#include "decoding/kv_cache.h"

namespace redraft::cuda {

// Keys and values of all layers in the memory of the GPU: for each layer the keys of all kv heads,
// then the values, [layer][2][kv_head][slot][head_dim] halves. Grows as slots are used; what grows
// moves, so kv() is asked anew for every pass.
class DeviceKvStorage : public KvStorage {
 public:
  struct Shape {
    int layers;
    int kv_heads;
    int head_dim;
  };
  // `max_slots` is what it may grow to.
  DeviceKvStorage(const Shape& shape, int max_slots, std::shared_ptr<DeviceQueue> queue);

  // Makes slots 0..count-1 writable and keeps what they hold; what was moved is there when this has
  // been called. Throws DeviceMemoryError, and is then as it was.
  void reserve(int count);
  KvMemory kv(int layer) const;
  // Queues the moves of what accept_draft() has accepted.
  void move_accepted(const DraftRows& draft, const Verdict* verdict) const;
  // Makes slots 0..count-1 writable and all that is there a small number.
  void fill(int count);

  void move_slot(int from, int to) override;
  std::unique_ptr<KvStorage> fork(int slots) const override;
  void discard(int from) override;
  std::size_t bytes(int slots) const override;

 private:
  std::size_t strips() const {
    return static_cast<std::size_t>(shape_.layers) * 2 * static_cast<std::size_t>(shape_.kv_heads);
  }
  std::size_t slot_bytes() const { return static_cast<std::size_t>(shape_.head_dim) * 2; }
  int rounded(int slots) const;
  // To `memory`, which has room for `slots` slots; the first `kept` keep what they hold.
  void move_to(DeviceMemory memory, int slots, int kept);
  std::size_t bytes_of(int slots) const {
    return strips() * static_cast<std::size_t>(slots) * slot_bytes();
  }
  // Does all moves that were asked for, in one go.
  void settle() const;

  Shape shape_;
  int max_slots_;
  std::shared_ptr<DeviceQueue> queue_;
  int slots_ = 0;  // that there is memory for
  DeviceMemory memory_;
  mutable std::vector<SlotMove> moves_;  // not done yet
  mutable DeviceMemory moves_there_;
};

}  // namespace redraft::cuda
