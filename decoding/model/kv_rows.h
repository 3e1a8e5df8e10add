#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace redraft {

// Keys and values of some layers as operators::store_rows writes them: for each layer two int16
// tensors of [kv_heads, slots, head_dim + kernels::kScaleInts]. A head's slots are contiguous, a
// strip, because one thread reads them. Only slots that have been written take memory, page by
// page. Slot s is slot s % slots() in all functions.
class KvRows {
 public:
  // Throws std::bad_alloc if there is no room for the addresses.
  KvRows(int layers, int slots, int kv_heads, int head_dim);
  ~KvRows();
  KvRows(const KvRows&) = delete;
  KvRows& operator=(const KvRows&) = delete;

  int layers() const { return static_cast<int>(keys_.size()); }
  int slots() const { return slots_; }
  int kv_heads() const { return kv_heads_; }
  int head_dim() const { return head_dim_; }
  const at::Tensor& keys(int layer) const { return keys_[static_cast<std::size_t>(layer)]; }
  const at::Tensor& values(int layer) const { return values_[static_cast<std::size_t>(layer)]; }

  // Copies one slot of every layer over another.
  void move(int from, int to);
  // Copies slots [first, end), at most slots() of them, from rows of the same layers.
  void copy_from(const KvRows& other, int first, int end);
  // Returns the memory of the slots from `from`, at most slots(), to the end to the system.
  void discard(int from);
  // The memory of the first `slots` slots, at most slots(), once they are written.
  std::size_t bytes(int slots) const;

  // The size of a slot in all layers, as the next two copy it: slots `first` and up, one after the
  // other, as many as `rows` has room for.
  std::size_t bytes_per_slot() const { return strips_ * slot_bytes_; }
  void copy_out(int first, std::span<std::byte> rows) const;
  void copy_in(int first, std::span<const std::byte> rows);

 private:
  std::uint8_t* strip(std::size_t idx) const { return memory_ + idx * strip_bytes_; }
  // Calls use(first, count) for the parts of slots [first, end) that are not interrupted by the end
  // of a strip, as slots of a strip.
  template <typename Use>
  void for_parts(int first, int end, const Use& use) const;

  int slots_;
  int kv_heads_;
  int head_dim_;
  std::size_t slot_bytes_;   // within a strip
  std::size_t strip_bytes_;  // whole pages, so that no two strips share a page
  std::size_t strips_;
  std::uint8_t* memory_ = nullptr;  // null without layers
  std::vector<at::Tensor> keys_, values_;
};

}  // namespace redraft
