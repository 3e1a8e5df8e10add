#include "decoding/model/pass_work.h"

#include <ATen/core/Tensor.h>

#include <cmath>
#include <cstdint>

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
    work.integer_macs[code_width_index(kernels::code_bits(weight.format))] += macs;
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
    if (!skipped || !skipped->attention[i]) {
      for (const LinearWeight* weight :
           {&layer.query, &layer.key, &layer.value, &layer.attention_output})
        add(work, *weight, rows);
    }
    if (skipped && skipped->feed_forward[i]) continue;
    if (!layer.experts.empty()) {
      add_experts(work, layer, shape, rows);
    } else {
      for (const LinearWeight* weight : {&layer.gate, &layer.up, &layer.down})
        add(work, *weight, rows);
    }
  }
  add(work, weights.head, rows);
  // Keys and values as TransformerKvStorage stores them.
  const int slot_ints = shape.kv_heads * (shape.head_dim + kernels::kScaleInts);
  work.bytes += 2.0 * sizeof(std::int16_t) * shape.layers * slot_ints * context;
  // A row's scores and its weighted sum of values cover the context, the rows before it and itself.
  const double seen = rows * (context + (rows + 1) / 2.0);
  work.float_macs += 2.0 * shape.layers * shape.query_width() * seen;
  return work;
}

}  // namespace redraft
