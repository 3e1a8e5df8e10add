#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "decoding/kernels/linear.h"
#include "decoding/kv_cache.h"
#include "decoding/model/kv_rows.h"
#include "decoding/model/recurrent_state.h"
#include "decoding/model/weights.h"
#include "decoding/model/window_rows.h"

namespace redraft {

// The layers of a transformer that have keys and values of their own, in order.
struct KvLayers {
  AttentionHeads heads, window_heads;  // of those without a sliding window, and with one
  std::vector<bool> windowed;          // whether each one has a window
  // [layers of the model]: whose keys and values each layer reads, by its place here; -1: none.
  std::vector<int> read;
  int window = 0;  // of those

  // Those of `shape`; an MTP block, if there is one, comes last.
  static KvLayers of(const TransformerShape& shape, bool mtp);
  WindowShape windows() const;
};

// The keys and values of a transformer. Those of layers with a sliding window are a state; so are
// the matrices and columns of a hybrid's other layers. No model has both.
class TransformerKvStorage : public KvStorage {
 public:
  // For `slots` tokens. `state` may be null.
  TransformerKvStorage(const KvLayers& layers, int slots,
                       std::unique_ptr<RecurrentState> state = nullptr);

  int layers() const { return static_cast<int>(places_.size()); }
  const at::Tensor& keys(int layer) const { return rows_of(layer).keys(place(layer)); }
  const at::Tensor& values(int layer) const { return rows_of(layer).values(place(layer)); }
  bool is_windowed(int layer) const { return layers_.windowed[static_cast<std::size_t>(layer)]; }
  RecurrentState* recurrent() { return recurrent_.get(); }  // may be null
  WindowRows* windows() { return windows_.get(); }          // may be null

  void move_slot(int from, int to) override;
  std::unique_ptr<KvStorage> fork(int slots) const override;
  void discard(int from) override;
  std::size_t bytes(int slots) const override;
  std::size_t bytes_per_slot() const override { return rows_.bytes_per_slot(); }
  void copy_slots_out(int first, std::span<std::byte> rows) const override {
    rows_.copy_out(first, rows);
  }
  void copy_slots_in(int first, std::span<const std::byte> rows) override {
    rows_.copy_in(first, rows);
  }
  SequenceState* state() override;

 private:
  int place(int layer) const { return places_[static_cast<std::size_t>(layer)]; }
  const KvRows& rows_of(int layer) const { return is_windowed(layer) ? windows_->rows() : rows_; }

  KvLayers layers_;
  std::vector<int> places_;  // of each layer among those of its kind
  KvRows rows_;              // of the layers without a window
  std::unique_ptr<RecurrentState> recurrent_;
  std::unique_ptr<WindowRows> windows_;
};

// The intermediate rows of a layer's attention.
struct AttentionRows {
  at::Tensor query, key, value, attended;
};

// The intermediate rows of one pass. Floats [rows, width], int32 [rows].
struct PassRows {
  at::Tensor ids, positions, parents;
  at::Tensor hidden;  // the residual stream
  at::Tensor normed;  // the input of a block after its norm
  // For layers without a sliding window and with one; the same memory.
  AttentionRows full, windowed;
  at::Tensor query_and_gate, attention_gate;  // undefined if attention is not gated
  at::Tensor branch, routed;  // [rows, hidden], where a dense block and experts stand side by side
  // Undefined if layers have no inputs of their own: [rows, layers * layer_input] for all of them,
  // and [rows, layer_input] for one.
  at::Tensor layer_inputs, layer_projection, layer_input, layer_gate;
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
  // `rotated` dimensions of a head; see TransformerShape for the others.
  RopeTable(int rotated, double base, const RopeScaling& scaling,
            const std::vector<float>& divisors);
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
