#include "decoding/model/transformer_memory.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "decoding/kernels/transformer_ops.h"

namespace redraft {

KvLayers KvLayers::of(const TransformerShape& shape, bool mtp) {
  KvLayers layers{.heads = shape.attention_heads(false),
                  .window_heads = shape.attention_heads(true),
                  .windowed = {},
                  .read = {},
                  .window = shape.window};
  for (int i = 0; i < shape.layers; ++i) {
    if (shape.is_recurrent(i)) {
      layers.read.push_back(-1);
    } else if (shape.shares_keys(i)) {
      layers.read.push_back(layers.read[static_cast<std::size_t>(shape.source_of_keys(i))]);
    } else {
      layers.read.push_back(static_cast<int>(layers.windowed.size()));
      layers.windowed.push_back(shape.has_window(i));
    }
  }
  if (mtp) layers.windowed.push_back(false);
  return layers;
}

WindowShape KvLayers::windows() const {
  return {.layers = static_cast<int>(std::ranges::count(windowed, true)),
          .window = window,
          .kv_heads = window_heads.kv_heads,
          .head_dim = window_heads.head_dim};
}

TransformerKvStorage::TransformerKvStorage(const KvLayers& layers, int slots,
                                           std::unique_ptr<RecurrentState> state)
    : layers_(layers),
      rows_(static_cast<int>(std::ranges::count(layers.windowed, false)), slots,
            layers.heads.kv_heads, layers.heads.head_dim),
      recurrent_(std::move(state)) {
  int counts[] = {0, 0};
  for (const bool windowed : layers.windowed) places_.push_back(counts[windowed ? 1 : 0]++);
  if (counts[1] > 0) windows_ = std::make_unique<WindowRows>(layers.windows(), slots);
  assert(!windows_ || !recurrent_);
}

SequenceState* TransformerKvStorage::state() {
  if (windows_) return windows_.get();
  return recurrent_.get();
}

void TransformerKvStorage::move_slot(int from, int to) {
  rows_.move(from, to);
  if (windows_) windows_->move(from, to);
}

// A copy, rather than pages shared until one of the caches writes. Copying 4096 tokens of a 1.5B
// model takes 50 ms, most of it for fresh pages; computing them takes 20 s. Sharing would take 9
// ms, but every access to a key would go through a table of blocks.
std::unique_ptr<KvStorage> TransformerKvStorage::fork(int slots) const {
  auto copy = std::make_unique<TransformerKvStorage>(
      layers_, rows_.slots(), recurrent_ ? recurrent_->fork(slots) : nullptr);
  copy->rows_.copy_from(rows_, 0, slots);
  if (windows_) copy->windows_ = windows_->fork(slots);
  return copy;
}

void TransformerKvStorage::discard(int from) {
  if (recurrent_) recurrent_->forget_draft();
  rows_.discard(from);
  if (windows_) windows_->discard(from);
}

std::size_t TransformerKvStorage::bytes(int slots) const {
  std::size_t bytes = rows_.bytes(slots);
  if (recurrent_ && slots > 0) bytes += recurrent_->held_bytes(slots);
  return bytes + (windows_ ? windows_->held_bytes(slots) : 0);
}

namespace {

// The beginnings of buffers, as rows of these heads.
AttentionRows rows_of(const AttentionRows& all, int count, const AttentionHeads& heads) {
  const auto first = [count](const at::Tensor& memory, int width) {
    return memory.narrow(0, 0, std::int64_t{count} * width).view({count, width});
  };
  return {.query = first(all.query, heads.query_width()),
          .key = first(all.key, heads.kv_width()),
          .value = first(all.value, heads.kv_width()),
          .attended = first(all.attended, heads.query_width())};
}

}  // namespace

const PassRows& PassBuffers::rows(int count) {
  if (count == count_) return view_;
  if (count > capacity_) {
    // So that a failed allocation leaves nothing half valid.
    capacity_ = count_ = 0;
    view_ = all_ = PassRows();
    all_ = allocate(count);
    capacity_ = count;
  }
  const auto first = [count](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.narrow(0, 0, count) : tensor;
  };
  view_ = {.ids = first(all_.ids),
           .positions = first(all_.positions),
           .parents = all_.parents,
           .hidden = first(all_.hidden),
           .normed = first(all_.normed),
           .full = rows_of(all_.full, count, shape_.attention_heads(false)),
           .windowed = rows_of(all_.full, count, shape_.attention_heads(true)),
           .query_and_gate = first(all_.query_and_gate),
           .attention_gate = first(all_.attention_gate),
           .branch = first(all_.branch),
           .routed = first(all_.routed),
           .layer_inputs = first(all_.layer_inputs),
           .layer_projection = first(all_.layer_projection),
           .layer_input = first(all_.layer_input),
           .layer_gate = first(all_.layer_gate),
           .gate = first(all_.gate),
           .up = first(all_.up),
           .quantized = all_.quantized};
  count_ = count;
  return view_;
}

PassRows PassBuffers::allocate(int count) const {
  const auto floats = [count](int width) { return at::empty({count, width}, at::kFloat); };
  const AttentionHeads full = shape_.attention_heads(false);
  const AttentionHeads windowed = shape_.attention_heads(true);
  const std::int64_t queries = std::max(full.query_width(), windowed.query_width());
  const std::int64_t keys = std::max(full.kv_width(), windowed.kv_width());
  const auto memory = [count](std::int64_t width) {
    return at::empty({count * width}, at::kFloat);
  };
  const int widest = std::max({shape_.hidden, static_cast<int>(queries), shape_.feed_forward,
                               shape_.dense_feed_forward, shape_.shared_feed_forward,
                               shape_.delta.value_width(), shape_.layer_input});
  const bool gated = shape_.architecture->gated_attention;
  const bool side_by_side = shape_.dense_feed_forward > 0;
  const bool inputs = shape_.layer_input > 0;
  const auto bytes = static_cast<std::int64_t>(kernels::quantized_bytes(isa_, count, widest));
  return {.ids = at::empty({count}, at::kInt),
          .positions = at::empty({count}, at::kInt),
          .parents = at::empty({count}, at::kInt),
          .hidden = floats(shape_.hidden),
          .normed = floats(shape_.hidden),
          .full = {.query = memory(queries),
                   .key = memory(keys),
                   .value = memory(keys),
                   .attended = memory(queries)},
          .windowed = {},
          .query_and_gate = gated ? floats(2 * shape_.query_width()) : at::Tensor(),
          .attention_gate = gated ? floats(shape_.query_width()) : at::Tensor(),
          .branch = side_by_side ? floats(shape_.hidden) : at::Tensor(),
          .routed = side_by_side ? floats(shape_.hidden) : at::Tensor(),
          .layer_inputs = inputs ? floats(shape_.layer_inputs()) : at::Tensor(),
          .layer_projection = inputs ? floats(shape_.layer_inputs()) : at::Tensor(),
          .layer_input = inputs ? floats(shape_.layer_input) : at::Tensor(),
          .layer_gate = inputs ? floats(shape_.layer_input) : at::Tensor(),
          .gate = floats(side_by_side ? shape_.dense_feed_forward : shape_.feed_forward),
          .up = floats(side_by_side ? shape_.dense_feed_forward : shape_.feed_forward),
          .quantized = at::empty({bytes}, at::kByte)};
}

void CapturedLayers::select(std::span<const int> layers, int hidden) {
  layers_.assign(layers.begin(), layers.end());
  hidden_ = static_cast<std::size_t>(hidden);
  rows_.clear();
}

void CapturedLayers::take(int layer, const at::Tensor& rows, int first) {
  const auto found = std::find(layers_.begin(), layers_.end(), layer);
  if (found == layers_.end()) return;
  const std::size_t width = layers_.size() * hidden_;
  const auto count = static_cast<std::size_t>(rows.size(0) - first);
  if (found == layers_.begin()) rows_.resize(count * width);
  const float* from = rows.const_data_ptr<float>() + static_cast<std::size_t>(first) * hidden_;
  float* to = rows_.data() + static_cast<std::size_t>(found - layers_.begin()) * hidden_;
  for (std::size_t r = 0; r < count; ++r) std::copy_n(from + r * hidden_, hidden_, to + r * width);
}

std::span<const float> CapturedLayers::row(int row) const {
  const std::size_t width = layers_.size() * hidden_;
  return std::span(rows_).subspan(static_cast<std::size_t>(row) * width, width);
}

RopeTable::RopeTable(int rotated, double base, const RopeScaling& scaling,
                     const std::vector<float>& divisors)
    : frequencies_(rope_frequencies(rotated, base, scaling, divisors)),
      amplitude_(scaling.attention_factor) {}

void RopeTable::reserve(int count) {
  if (cosines_.defined() && count <= cosines_.size(0)) return;
  constexpr unsigned kMinCount = 1024;
  const auto positions =
      static_cast<int>(std::bit_ceil(std::max(kMinCount, static_cast<unsigned>(count))));
  const auto pairs = static_cast<std::int64_t>(frequencies_.size());
  // Both or neither: a caller may continue after a failed allocation.
  const at::Tensor cosines = at::empty({positions, pairs}, at::kFloat);
  const at::Tensor sines = at::empty({positions, pairs}, at::kFloat);
  kernels::rope_table(positions, frequencies_, amplitude_, cosines.mutable_data_ptr<float>(),
                      sines.mutable_data_ptr<float>());
  cosines_ = cosines;
  sines_ = sines;
}

}  // namespace redraft
