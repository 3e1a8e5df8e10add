#pragma once

#include <memory>
#include <vector>

#include "cuda/layer.h"
#include "cuda/runtime.h"
#include "cuda/sequence.h"
#include "decoding/kv_cache.h"

namespace redraft::cuda {

// Keys and values of all layers in the memory of the GPU: for each layer the keys of all KV heads,
// then the values, [layer][2][kv_head][slot][head_dim] halves. Grows as slots are used; growing
// moves the memory, so call kv() again for every pass.
class DeviceKvStorage : public KvStorage {
 public:
  struct Shape {
    int layers;
    int kv_heads;
    int head_dim;
  };
  // It may grow to `max_slots`.
  DeviceKvStorage(const Shape& shape, int max_slots, std::shared_ptr<DeviceQueue> queue);

  // Makes slots 0..count-1 writable and keeps their contents; moves that are queued already are
  // done first. Throws DeviceMemoryError and is then unchanged.
  void reserve(int count);
  KvMemory kv(int layer) const;
  // Queues the moves that accept_draft() decided on.
  void move_accepted(const DraftRows& draft, const Verdict* verdict) const;
  // Makes slots 0..count-1 writable and sets their contents to a small number.
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
  // Moves to `memory`, which has room for `slots` slots; the first `kept` slots keep their
  // contents.
  void move_to(DeviceMemory memory, int slots, int kept);
  std::size_t bytes_of(int slots) const {
    return strips() * static_cast<std::size_t>(slots) * slot_bytes();
  }
  // Does all pending moves in one go.
  void settle() const;

  Shape shape_;
  int max_slots_;
  std::shared_ptr<DeviceQueue> queue_;
  int slots_ = 0;  // that memory is allocated for
  DeviceMemory memory_;
  mutable std::vector<SlotMove> moves_;  // pending
  mutable DeviceMemory moves_there_;
};

}  // namespace redraft::cuda
