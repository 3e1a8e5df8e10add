#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kv_cache.h"
#include "decoding/model/recurrent_state.h"
#include "decoding/model/weights.h"

namespace redraft {

// Keys and values as operators::store_rows writes them: for each layer two int16 tensors of
// [kv_heads, slots, head_dim + kernels::kScaleInts]. A head's slots are contiguous, because one
// thread reads them. Only slots that have been written take memory, page by page.
//
// A hybrid has them for its layers with attention, and a state for the others.
class TransformerKvStorage : public KvStorage {
 public:
  // `layers` with keys and values; `state` may be null.
  TransformerKvStorage(int layers, int slots, int kv_heads, int head_dim,
                       std::unique_ptr<RecurrentState> state = nullptr);
  ~TransformerKvStorage() override;
  TransformerKvStorage(const TransformerKvStorage&) = delete;
  TransformerKvStorage& operator=(const TransformerKvStorage&) = delete;

  int layers() const { return static_cast<int>(keys_.size()); }
  const at::Tensor& keys(int layer) const { return keys_[static_cast<std::size_t>(layer)]; }
  const at::Tensor& values(int layer) const { return values_[static_cast<std::size_t>(layer)]; }

  void move_slot(int from, int to) override;
  std::unique_ptr<KvStorage> fork(int slots) const override;
  void discard(int from) override;
  std::size_t bytes(int slots) const override;
  std::size_t bytes_per_slot() const override { return strips_ * slot_bytes_; }
  void copy_slots_out(int first, std::span<std::byte> rows) const override;
  void copy_slots_in(int first, std::span<const std::byte> rows) override;
  RecurrentState* state() override { return state_.get(); }

 private:
  // The slots of one head's keys or values in one layer.
  std::uint8_t* strip(std::size_t idx) const { return memory_ + idx * strip_bytes_; }

  int slots_;
  int kv_heads_;
  int head_dim_;
  std::size_t slot_bytes_;   // within a strip
  std::size_t strip_bytes_;  // whole pages, so that no two strips share a page
  std::size_t strips_;
  std::uint8_t* memory_;
  std::vector<at::Tensor> keys_, values_;
  std::unique_ptr<RecurrentState> state_;
};

// The intermediate rows of one pass. Floats [rows, width], int32 [rows].
struct PassRows {
  at::Tensor ids, positions, parents;
  at::Tensor hidden;  // the residual stream
  at::Tensor normed;  // the input of a block after its norm
  at::Tensor query, key, value, attended;
  at::Tensor query_and_gate, attention_gate;  // undefined if attention is not gated
  at::Tensor gate, up;
  at::Tensor quantized;  // uint8 [bytes]: the input of the next linear layers
};

// Memory for PassRows, which grows with the largest pass and is handed out as views.
class PassBuffers {
 public:
  PassBuffers(const TransformerShape& shape, kernels::Isa isa) : shape_(shape), isa_(isa) {}
  // Valid until the next call.
  const PassRows& rows(int count);

 private:
  PassRows allocate(int count) const;

  TransformerShape shape_;
  kernels::Isa isa_;
  int capacity_ = 0;
  int count_ = 0;
  PassRows all_;
  PassRows view_;
};

// What the rows of the last pass look like after chosen layers: a copy, since the residual stream
// is overwritten layer by layer.
class CapturedLayers {
 public:
  // Ascending; empty: nothing is kept. `hidden` is the width of a row.
  void select(std::span<const int> layers, int hidden);
  // To be called after each layer with the residual stream, float [rows, hidden]: keeps rows
  // `first` and up.
  void take(int layer, const at::Tensor& rows, int first);
  // [layers, hidden], of row `first` + `row` of the last pass.
  std::span<const float> row(int row) const;

 private:
  std::vector<int> layers_;
  std::size_t hidden_ = 0;
  std::vector<float> rows_;  // [rows, layers, hidden]
};

// Cosines and sines of the positions in use: float [positions, rotated / 2] each.
class RopeTable {
 public:
  explicit RopeTable(const TransformerShape& shape);
  // Makes positions 0..count-1 available. A position's values do not depend on `count`.
  void reserve(int count);
  const at::Tensor& cosines() const { return cosines_; }
  const at::Tensor& sines() const { return sines_; }

 private:
  std::vector<double> frequencies_;
  double amplitude_;
  at::Tensor cosines_, sines_;
};

}  // namespace redraft
