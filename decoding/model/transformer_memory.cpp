#include "decoding/model/transformer_memory.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/huge_pages.h"
#include "decoding/kernels/transformer_ops.h"

namespace redraft {

namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

}  // namespace

TransformerKvStorage::TransformerKvStorage(int layers, int slots, int kv_heads, int head_dim,
                                           std::unique_ptr<RecurrentState> state)
    : slots_(slots),
      kv_heads_(kv_heads),
      head_dim_(head_dim),
      slot_bytes_(sizeof(std::int16_t) * static_cast<std::size_t>(head_dim + kernels::kScaleInts)),
      strip_bytes_(whole_pages(slot_bytes_ * static_cast<std::size_t>(slots))),
      strips_(2 * static_cast<std::size_t>(layers) * static_cast<std::size_t>(kv_heads)),
      state_(std::move(state)) {
  void* const memory = ::mmap(nullptr, strips_ * strip_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // With huge pages the first row of every strip would take 2 MiB.
  kernels::refuse_huge_pages(memory, strips_ * strip_bytes_);
  memory_ = static_cast<std::uint8_t*>(memory);
  const std::int64_t width = head_dim + kernels::kScaleInts;
  const auto head_pitch = static_cast<std::int64_t>(strip_bytes_ / sizeof(std::int16_t));
  std::uint8_t* next = memory_;
  for (int i = 0; i < layers; ++i) {
    for (std::vector<at::Tensor>* each : {&keys_, &values_}) {
      each->push_back(at::from_blob(next, {kv_heads, slots, width}, {head_pitch, width, 1},
                                    at::TensorOptions(at::kShort)));
      next += static_cast<std::size_t>(kv_heads) * strip_bytes_;
    }
  }
}

TransformerKvStorage::~TransformerKvStorage() { ::munmap(memory_, strips_ * strip_bytes_); }

void TransformerKvStorage::move_slot(int from, int to) {
  if (from == to) return;
  for (std::size_t i = 0; i < strips_; ++i) {
    std::memcpy(strip(i) + slot_bytes_ * static_cast<std::size_t>(to),
                strip(i) + slot_bytes_ * static_cast<std::size_t>(from), slot_bytes_);
  }
}

// A copy, rather than pages shared until one of the caches writes. Copying 4096 tokens of a 1.5B
// model takes 50 ms, most of it for fresh pages; computing them takes 20 s. Sharing would take 9
// ms, but every access to a key would go through a table of blocks.
std::unique_ptr<KvStorage> TransformerKvStorage::fork(int slots) const {
  auto copy = std::make_unique<TransformerKvStorage>(layers(), slots_, kv_heads_, head_dim_,
                                                     state_ ? state_->fork(slots) : nullptr);
  for (std::size_t i = 0; i < strips_; ++i) {
    std::memcpy(copy->strip(i), strip(i), slot_bytes_ * static_cast<std::size_t>(slots));
  }
  return copy;
}

void TransformerKvStorage::discard(int from) {
  if (state_) state_->forget_draft();
  const std::size_t kept = whole_pages(slot_bytes_ * static_cast<std::size_t>(from));
  if (kept >= strip_bytes_) return;
  for (std::size_t i = 0; i < strips_; ++i) {
    ::madvise(strip(i) + kept, strip_bytes_ - kept, MADV_DONTNEED);
  }
}

std::size_t TransformerKvStorage::bytes(int slots) const {
  const std::size_t rows = strips_ * whole_pages(slot_bytes_ * static_cast<std::size_t>(slots));
  return rows + (state_ && slots > 0 ? state_->held_bytes(slots) : 0);
}

// Strip by strip, so that what lies far apart is one stream; the rows outside are few enough for
// the processor's caches.
void TransformerKvStorage::copy_slots_out(int first, std::span<std::byte> rows) const {
  const std::size_t slots = rows.size() / bytes_per_slot();
  for (std::size_t i = 0; i < strips_; ++i) {
    const std::uint8_t* const from = strip(i) + slot_bytes_ * static_cast<std::size_t>(first);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      std::memcpy(rows.data() + slot * bytes_per_slot() + i * slot_bytes_,
                  from + slot * slot_bytes_, slot_bytes_);
    }
  }
}

void TransformerKvStorage::copy_slots_in(int first, std::span<const std::byte> rows) {
  const std::size_t slots = rows.size() / bytes_per_slot();
  for (std::size_t i = 0; i < strips_; ++i) {
    std::uint8_t* const to = strip(i) + slot_bytes_ * static_cast<std::size_t>(first);
    for (std::size_t slot = 0; slot < slots; ++slot) {
      std::memcpy(to + slot * slot_bytes_, rows.data() + slot * bytes_per_slot() + i * slot_bytes_,
                  slot_bytes_);
    }
  }
}

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
           .query = first(all_.query),
           .key = first(all_.key),
           .value = first(all_.value),
           .attended = first(all_.attended),
           .query_and_gate = first(all_.query_and_gate),
           .attention_gate = first(all_.attention_gate),
           .gate = first(all_.gate),
           .up = first(all_.up),
           .quantized = all_.quantized};
  count_ = count;
  return view_;
}

PassRows PassBuffers::allocate(int count) const {
  const auto floats = [count](int width) { return at::empty({count, width}, at::kFloat); };
  const int widest = std::max({shape_.hidden, shape_.query_width(), shape_.feed_forward,
                               shape_.shared_feed_forward, shape_.delta.value_width()});
  const bool gated = shape_.architecture->gated_attention;
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
          .query_and_gate = gated ? floats(2 * shape_.query_width()) : at::Tensor(),
          .attention_gate = gated ? floats(shape_.query_width()) : at::Tensor(),
          .gate = floats(shape_.feed_forward),
          .up = floats(shape_.feed_forward),
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

RopeTable::RopeTable(const TransformerShape& shape)
    : frequencies_(rope_frequencies(shape.rotated, shape.rope_base, shape.rope_scaling,
                                    shape.rope_divisors)),
      amplitude_(shape.rope_scaling.attention_factor) {}

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
