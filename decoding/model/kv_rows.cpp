#include "decoding/model/kv_rows.h"

#include <ATen/ops/from_blob.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "decoding/kernels/fixed_point.h"
#include "decoding/kernels/huge_pages.h"

namespace redraft {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

}  // namespace

KvRows::KvRows(int layers, int slots, int kv_heads, int head_dim)
    : slots_(slots),
      kv_heads_(kv_heads),
      head_dim_(head_dim),
      slot_bytes_(sizeof(std::int16_t) * static_cast<std::size_t>(head_dim + kernels::kScaleInts)),
      strip_bytes_(whole_pages(slot_bytes_ * static_cast<std::size_t>(slots))),
      strips_(2 * static_cast<std::size_t>(layers) * static_cast<std::size_t>(kv_heads)) {
  if (strips_ == 0) return;
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

KvRows::~KvRows() {
  if (memory_) ::munmap(memory_, strips_ * strip_bytes_);
}

template <typename Use>
void KvRows::for_parts(int first, int end, const Use& use) const {
  assert(first <= end && end - first <= slots_);
  while (first < end) {
    const int slot = first % slots_;
    const int count = std::min(end - first, slots_ - slot);
    use(static_cast<std::size_t>(slot), static_cast<std::size_t>(count));
    first += count;
  }
}

void KvRows::move(int from, int to) {
  const auto source = slot_bytes_ * static_cast<std::size_t>(from % slots_);
  const auto target = slot_bytes_ * static_cast<std::size_t>(to % slots_);
  if (source == target) return;
  for (std::size_t i = 0; i < strips_; ++i)
    std::memcpy(strip(i) + target, strip(i) + source, slot_bytes_);
}

// The numbers of slots may differ, so a part ends where either of the two strips does.
void KvRows::copy_from(const KvRows& other, int first, int end) {
  assert(strips_ == other.strips_ && slot_bytes_ == other.slot_bytes_);
  for_parts(first, end, [&](std::size_t to, std::size_t count) {
    int from = first;
    first += static_cast<int>(count);
    other.for_parts(from, first, [&](std::size_t source, std::size_t part) {
      for (std::size_t i = 0; i < strips_; ++i) {
        std::memcpy(strip(i) + to * slot_bytes_, other.strip(i) + source * slot_bytes_,
                    part * slot_bytes_);
      }
      to += part;
    });
  });
}

void KvRows::discard(int from) {
  const std::size_t kept = whole_pages(slot_bytes_ * static_cast<std::size_t>(from));
  if (kept >= strip_bytes_) return;
  for (std::size_t i = 0; i < strips_; ++i) {
    ::madvise(strip(i) + kept, strip_bytes_ - kept, MADV_DONTNEED);
  }
}

std::size_t KvRows::bytes(int slots) const {
  return strips_ * whole_pages(slot_bytes_ * static_cast<std::size_t>(slots));
}

// Strip by strip, so that what lies far apart is one stream; the rows outside are few enough for
// the processor's caches.
void KvRows::copy_out(int first, std::span<std::byte> rows) const {
  if (strips_ == 0) return;
  const int end = first + static_cast<int>(rows.size() / bytes_per_slot());
  std::byte* out = rows.data();
  for_parts(first, end, [&](std::size_t slot, std::size_t count) {
    for (std::size_t i = 0; i < strips_; ++i) {
      const std::uint8_t* const from = strip(i) + slot_bytes_ * slot;
      for (std::size_t s = 0; s < count; ++s) {
        std::memcpy(out + s * bytes_per_slot() + i * slot_bytes_, from + s * slot_bytes_,
                    slot_bytes_);
      }
    }
    out += count * bytes_per_slot();
  });
}

void KvRows::copy_in(int first, std::span<const std::byte> rows) {
  if (strips_ == 0) return;
  const int end = first + static_cast<int>(rows.size() / bytes_per_slot());
  const std::byte* in = rows.data();
  for_parts(first, end, [&](std::size_t slot, std::size_t count) {
    for (std::size_t i = 0; i < strips_; ++i) {
      std::uint8_t* const to = strip(i) + slot_bytes_ * slot;
      for (std::size_t s = 0; s < count; ++s) {
        std::memcpy(to + s * slot_bytes_, in + s * bytes_per_slot() + i * slot_bytes_, slot_bytes_);
      }
    }
    in += count * bytes_per_slot();
  });
}

}  // namespace redraft
