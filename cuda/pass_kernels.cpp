#include "cuda/pass_kernels.h"

#include "cuda/head.h"

namespace redraft::cuda {

void PassKernels::layers(int rows, const DeviceKvStorage& storage) const {
  embedding(weights_.embedding, memory_.ids(), rows, memory_.hidden(), stream());
  const float* added = nullptr;
  for (int i = 0; i < shape_.layers; ++i) {
    const DeviceLayer& layer = weights_.layers[static_cast<std::size_t>(i)];
    attention_block(layer, rows, added, storage.kv(i));
    feed_forward_block(layer, rows);
    added = memory_.block_output();
  }
}

void PassKernels::best(int first, int count) const {
  best_of(head_input(first, count), first, count);
}

void PassKernels::accept(int rows, const DeviceKvStorage& storage) const {
  accept_draft(memory_.draft_rows(), rows, memory_.verdict(), stream());
  storage.move_accepted(memory_.draft_rows(), memory_.verdict());
}

void PassKernels::steps(int steps, const DeviceKvStorage& storage) const {
  for (int step = 0; step < steps; ++step) {
    const std::int32_t* token = step == 0 ? memory_.written() : memory_.best();
    next_step(token, memory_.written() + step, memory_.step_row(), step == 0 ? 0 : 1, stream());
    layers(1, storage);
    best(0, 1);
  }
}

Rows PassKernels::head_input(int first, int count) const {
  const RowsOut out = memory_.rounded(reads_bfloats(weights_.head.weight.format));
  const auto skipped = static_cast<std::size_t>(first) * static_cast<std::size_t>(shape_.hidden);
  add_norm({memory_.hidden() + skipped, memory_.block_output() + skipped, weights_.output_norm,
            static_cast<float>(shape_.epsilon), shape_.hidden},
           count, out, stream());
  return {out.values, out.scales};
}

void PassKernels::best_of(const Rows& x, int first, int count) const {
  linear_argmax(weights_.head.weight, x, count, memory_.keys(), memory_.best() + first, stream());
}

void PassKernels::logits_of(const Rows& x, int rows, float* out) const {
  multiply(weights_.head, x, rows, out, shape_.vocabulary);
}

Rows PassKernels::normed(const float* weight, const float* added, int rows,
                         const DeviceLinears& readers) const {
  const RowsOut out = memory_.rounded(reads_bfloats(readers.front().weight.format));
  add_norm({memory_.hidden(), added, weight, static_cast<float>(shape_.epsilon), shape_.hidden},
           rows, out, stream());
  return {out.values, out.scales};
}

void PassKernels::multiply(const DeviceLinear& linear, const Rows& x, int rows, float* y,
                           int ldy) const {
  cuda::linear(linear.weight, x, rows, linear.bias, y, ldy, stream());
}

void PassKernels::multiply(const DeviceLinears& linears, const Rows& x, int rows, float* y,
                           int ldy) const {
  for (const DeviceLinear& linear : linears) {
    multiply(linear, x, rows, y, ldy);
    y += linear.weight.n;
  }
}

void PassKernels::attention_block(const DeviceLayer& layer, int rows, const float* added,
                                  const KvMemory& kv) const {
  const Rows x = normed(layer.attention_norm, added, rows, layer.query_key_value);
  const int width = shape_.query_width(), kv_width = shape_.kv_width();
  const int all = width + 2 * kv_width;
  float* qkv = memory_.wide();
  multiply(layer.query_key_value, x, rows, qkv, all);
  rotate_append({.qkv = qkv,
                 .heads = shape_.heads,
                 .kv_heads = shape_.kv_heads,
                 .head_dim = shape_.head_dim,
                 .query_norm = layer.query_norm,
                 .key_norm = layer.key_norm,
                 .epsilon = static_cast<float>(shape_.epsilon),
                 .cosines = memory_.cosines(),
                 .sines = memory_.sines(),
                 .positions = memory_.positions(),
                 .slots = memory_.slots(),
                 .kv = kv,
                 .queries = memory_.queries()},
                rows, stream());
  const Attention of{memory_.queries(), kv, shape_.heads, shape_.kv_heads, shape_.head_dim,
                     memory_.paths()};
  const RowsOut attended = memory_.rounded(reads_bfloats(layer.attention_output.weight.format));
  attention(of, rows, memory_.longest(), memory_.scratch(), attended, stream());
  multiply(layer.attention_output, {attended.values, attended.scales}, rows, memory_.block_output(),
           shape_.hidden);
}

void PassKernels::feed_forward_block(const DeviceLayer& layer, int rows) const {
  const Rows x = normed(layer.feed_forward_norm, memory_.block_output(), rows, layer.gate_up);
  const int width = shape_.feed_forward;
  float* gate_up = memory_.wide();
  multiply(layer.gate_up, x, rows, gate_up, 2 * width);
  const RowsOut active = memory_.rounded(reads_bfloats(layer.down.weight.format));
  silu_mul(gate_up, gate_up + width, 2 * width, rows, width, active, stream());
  multiply(layer.down, {active.values, active.scales}, rows, memory_.block_output(), shape_.hidden);
}

}  // namespace redraft::cuda
