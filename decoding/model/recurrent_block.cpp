#include "decoding/model/recurrent_block.h"

#include <algorithm>

#include "decoding/model/delta_block.h"
#include "decoding/model/short_convolution_block.h"

namespace redraft {

std::unique_ptr<RecurrentBlock> RecurrentBlock::make(const TransformerShape& shape,
                                                     const Weights& weights, kernels::Isa isa,
                                                     ThreadPool& pool) {
  switch (shape.architecture->recurrence) {
    case Recurrence::kNone:
      return nullptr;
    case Recurrence::kGatedDeltaNet:
      return std::make_unique<DeltaBlock>(shape, weights, isa, pool);
    case Recurrence::kShortConvolution:
      return std::make_unique<ShortConvolutionBlock>(shape, weights, isa, pool);
  }
  return nullptr;
}

RecurrentBlock::RecurrentBlock(const TransformerShape& shape, const Weights& weights,
                               kernels::Isa isa, ThreadPool& pool)
    : shape_(shape.convolution()), all_(weights), isa_(isa), pool_(pool) {
  for (int i = 0; i < shape.layers; ++i) {
    if (shape.is_recurrent(i)) layers_.push_back(i);
  }
}

const RecurrenceWeights& RecurrentBlock::weights(int idx) const {
  const int layer = layers_[static_cast<std::size_t>(idx)];
  return all_.layers[static_cast<std::size_t>(layer)].recurrence;
}

void RecurrentBlock::begin_pass(const kernels::TreeRows& rows) {
  if (layers_.empty()) return;
  rows_ = rows;
  if (rows.count() > capacity_) {
    capacity_ = 0;  // so that a failed allocation leaves nothing half valid
    reserve(rows.count());
    capacity_ = rows.count();
  }
  begin_rows();
}

void RecurrentBlock::convolve(int idx, const kernels::TreeRows& rows, const float* columns,
                              const float* mixed, float* out) const {
  kernels::causal_convolution(isa_, shape_, weights(idx).convolution.const_data_ptr<float>(), rows,
                              columns, mixed, out, pool_);
}

void RecurrentBlock::keep(int idx, RecurrentState& state, const at::Tensor& mixed) const {
  advance(mixed.const_data_ptr<float>(), rows_.context, state.columns(idx));
  note_rows(mixed, state.notes(idx).mixed);
}

// Only the last rows are looked at.
void RecurrentBlock::advance(const float* mixed, int rows, float* columns) const {
  std::vector<const float*> last;
  for (int row = std::max(0, rows - shape_.saved_columns()); row < rows; ++row) {
    last.push_back(mixed +
                   static_cast<std::size_t>(row) * static_cast<std::size_t>(shape_.channels));
  }
  kernels::advance_columns(shape_, last, columns);
}

void RecurrentBlock::note_rows(const at::Tensor& rows, std::vector<float>& to) const {
  const auto width = static_cast<std::size_t>(rows.size(1));
  const float* const from =
      rows.const_data_ptr<float>() + static_cast<std::size_t>(rows_.context) * width;
  to.assign(from, from + rows_.parents.size() * width);
}

std::vector<float> RecurrentBlock::noted(const std::vector<float>& notes, std::span<const int> path,
                                         std::size_t width) {
  std::vector<float> out(path.size() * width);
  for (std::size_t i = 0; i < path.size(); ++i)
    std::copy_n(&notes[static_cast<std::size_t>(path[i]) * width], width, &out[i * width]);
  return out;
}

void RecurrentBlock::replay(RecurrentState& state, std::span<const int> path) const {
  const auto channels = static_cast<std::size_t>(shape_.channels);
  for (int idx = 0; idx < state.layers(); ++idx) {
    const std::vector<float> mixed = noted(state.notes(idx).mixed, path, channels);
    replay_rest(idx, state, path, mixed.data());
    advance(mixed.data(), static_cast<int>(path.size()), state.columns(idx));
  }
}

}  // namespace redraft
