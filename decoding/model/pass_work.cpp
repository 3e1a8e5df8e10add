#include "decoding/model/pass_work.h"

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/packed_layout.h"

namespace redraft {
namespace {

// `read` is the share of the weights that is read, for `rows` rows in all.
void add(PassWork& work, const LinearWeight& weight, double rows, double read = 1) {
  work.bytes += read * static_cast<double>(weight.data.nbytes());
  const double macs = rows * static_cast<double>(weight.n * weight.k);
  if (kernels::reads_floats(weight.format)) {
    work.float_macs += macs;
  } else {
    work.integer_macs[code_width_index(kernels::product_bits(weight.format))] += macs;
  }
}

void add_experts(PassWork& work, const LayerWeights& layer, const TransformerShape& shape,
                 int rows) {
  add(work, layer.router, rows);
  const double read = expected_experts(shape.experts, shape.experts_used, rows) / shape.experts;
  const double rows_of_each = 1.0 * rows * shape.experts_used / shape.experts;
  for (const ExpertWeights& expert : layer.experts) {
    for (const LinearWeight* weight : {&expert.gate, &expert.up, &expert.down})
      add(work, *weight, rows_of_each, read);
  }
  if (layer.shared_gate.n == 0) return;
  const ExpertWeights& shared = layer.shared_expert;
  for (const LinearWeight* weight : {&layer.shared_gate, &shared.gate, &shared.up, &shared.down})
    add(work, *weight, rows);
}

// Each head's state is read twice and written once for every row, of which only the first comes
// from memory.
void add_recurrence(PassWork& work, const RecurrenceWeights& layer, const TransformerShape& shape,
                    int rows) {
  for (const LinearWeight* weight :
       {&layer.mixed, &layer.gate, &layer.mixed_and_gate, &layer.alpha, &layer.beta,
        &layer.beta_and_alpha, &layer.gates_and_input, &layer.output}) {
    if (weight->n > 0) add(work, *weight, rows);
  }
  const auto state = static_cast<double>(shape.delta.state_floats());
  const kernels::ConvolutionShape convolution = shape.convolution();
  work.bytes += 2 * sizeof(float) * state;
  work.float_macs += rows * (4 * state + 1.0 * convolution.taps * convolution.channels);
}

}  // namespace

double expected_experts(int experts, int used, int rows) {
  const double left_out = 1 - static_cast<double>(used) / experts;  // by one row
  return experts * (1 - std::pow(left_out, rows));
}

PassWork pass_work(const Weights& weights, const TransformerShape& shape, int rows, int context,
                   const SkippedLayers* skipped) {
  PassWork work;
  for (std::size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& layer = weights.layers[i];
    if (shape.is_recurrent(static_cast<int>(i))) {
      add_recurrence(work, layer.recurrence, shape, rows);
    } else if (!skipped || !skipped->attention[i]) {
      for (const LinearWeight* weight :
           {&layer.query, &layer.key, &layer.value, &layer.attention_output}) {
        if (weight->n > 0) add(work, *weight, rows);  // not where keys are values
      }
    }
    if (skipped && skipped->feed_forward[i]) continue;
    if (!layer.experts.empty()) {
      add_experts(work, layer, shape, rows);
    }
    if (layer.input_gate.n > 0) {
      add(work, layer.input_gate, rows);
      add(work, layer.input_projection, rows);
    }
    if (layer.gate.n > 0) {
      for (const LinearWeight* weight : {&layer.gate, &layer.up, &layer.down})
        add(work, *weight, rows);
    }
  }
  add(work, weights.head, rows);
  if (weights.layer_inputs.projection.n > 0) add(work, weights.layer_inputs.projection, rows);
  if (weights.mtp) {  // which reads every row
    for (const LinearWeight* weight :
         {&weights.mtp->join, &weights.mtp->layer.key, &weights.mtp->layer.value})
      add(work, *weight, rows);
  }
  // Keys and values as TransformerKvStorage stores them.
  // A row's scores and its weighted sum of values cover the context, the rows before it and itself,
  // or as many of these as its window has.
  const auto add_attention = [&](int layers, bool has_window, double limit) {
    const AttentionHeads heads = shape.attention_heads(has_window);
    const int slot_ints = heads.kv_heads * (heads.head_dim + kernels::kScaleInts);
    const double read = std::min<double>(context, limit);
    const double seen = rows * std::min(context + (rows + 1) / 2.0, limit);
    work.bytes += 2.0 * sizeof(std::int16_t) * layers * slot_ints * read;
    work.float_macs += 2.0 * layers * heads.query_width() * seen;
  };
  const int windowed = static_cast<int>(std::ranges::count(shape.windowed, true));
  add_attention(shape.attention_layers() - windowed, false,
                std::numeric_limits<double>::infinity());
  if (windowed > 0) add_attention(windowed, true, shape.window);
  return work;
}

}  // namespace redraft
