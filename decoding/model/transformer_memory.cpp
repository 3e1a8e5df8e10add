#include "decoding/model/transformer_memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/transformer_ops.h"

namespace redraft {

TransformerKvStorage::TransformerKvStorage(int layers, int slots, int kv_heads, int head_dim) {
  const int width = head_dim + kernels::kScaleInts;
  const std::size_t layer_bytes = sizeof(std::int16_t) * static_cast<std::size_t>(kv_heads) *
                                  static_cast<std::size_t>(slots) * static_cast<std::size_t>(width);
  bytes_ = 2 * layer_bytes * static_cast<std::size_t>(layers);
  memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  // With huge pages the first row of every layer would cost 2 MiB, twice.
  ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);
  auto* data = static_cast<std::uint8_t*>(memory_);
  for (int i = 0; i < layers; ++i) {
    for (std::vector<at::Tensor>* tensors : {&keys_, &values_}) {
      tensors->push_back(
          at::from_blob(data, {kv_heads, slots, width}, at::TensorOptions(at::kShort)));
      data += layer_bytes;
    }
  }
}

TransformerKvStorage::~TransformerKvStorage() { ::munmap(memory_, bytes_); }

void TransformerKvStorage::move_slot(int from, int to) {
  if (from == to) return;
  for (const std::vector<at::Tensor>* tensors : {&keys_, &values_}) {
    for (const at::Tensor& tensor : *tensors) {
      const auto bytes = static_cast<std::size_t>(tensor.size(2)) * sizeof(std::int16_t);
      for (std::int64_t head = 0; head < tensor.size(0); ++head) {
        std::int16_t* rows = tensor.mutable_data_ptr<std::int16_t>() + head * tensor.stride(0);
        std::memcpy(rows + to * tensor.stride(1), rows + from * tensor.stride(1), bytes);
      }
    }
  }
}

const PassRows& PassBuffers::rows(int count) {
  if (count == count_) return view_;
  if (count > capacity_) {
    // Nothing stays behind that a failed allocation would leave half valid.
    capacity_ = count_ = 0;
    view_ = all_ = PassRows();
    all_ = allocate(count);
    capacity_ = count;
  }
  const auto first = [count](const at::Tensor& tensor) { return tensor.narrow(0, 0, count); };
  view_ = {.ids = first(all_.ids),
           .positions = first(all_.positions),
           .parents = all_.parents,
           .hidden = first(all_.hidden),
           .normed = first(all_.normed),
           .query = first(all_.query),
           .key = first(all_.key),
           .value = first(all_.value),
           .attended = first(all_.attended),
           .gate = first(all_.gate),
           .up = first(all_.up),
           .quantized = all_.quantized};
  count_ = count;
  return view_;
}

PassRows PassBuffers::allocate(int count) const {
  const auto floats = [count](int width) { return at::empty({count, width}, at::kFloat); };
  const int widest = std::max({shape_.hidden, shape_.query_width(), shape_.feed_forward});
  const auto bytes = static_cast<std::int64_t>(kernels::quantized_bytes(isa_, count, widest));
  return {.ids = at::empty({count}, at::kInt),
          .positions = at::empty({count}, at::kInt),
          .parents = at::empty({count}, at::kInt),
          .hidden = floats(shape_.hidden),
          .normed = floats(shape_.hidden),
          .query = floats(shape_.query_width()),
          .key = floats(shape_.kv_width()),
          .value = floats(shape_.kv_width()),
          .attended = floats(shape_.query_width()),
          .gate = floats(shape_.feed_forward),
          .up = floats(shape_.feed_forward),
          .quantized = at::empty({bytes}, at::kByte)};
}

RopeTable::RopeTable(const TransformerShape& shape)
    : frequencies_(rope_frequencies(shape.head_dim, shape.rope_base, shape.rope_scaling,
                                    shape.rope_divisors)),
      amplitude_(shape.rope_scaling.attention_factor) {}

void RopeTable::reserve(int count) {
  if (cosines_.defined() && count <= cosines_.size(0)) return;
  constexpr unsigned kLeast = 1024;
  const auto positions =
      static_cast<int>(std::bit_ceil(std::max(kLeast, static_cast<unsigned>(count))));
  const auto pairs = static_cast<std::int64_t>(frequencies_.size());
  cosines_ = at::empty({positions, pairs}, at::kFloat);
  sines_ = at::empty({positions, pairs}, at::kFloat);
  kernels::rope_table(positions, frequencies_, amplitude_, cosines_.mutable_data_ptr<float>(),
                      sines_.mutable_data_ptr<float>());
}

}  // namespace redraft
