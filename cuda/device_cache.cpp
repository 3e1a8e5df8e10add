#include "cuda/device_cache.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace redraft::cuda {
namespace {

constexpr int kMinSlots = 512;
constexpr std::size_t kMinMoves = 256 * sizeof(SlotMove);

}  // namespace

DeviceKvStorage::DeviceKvStorage(const Shape& shape, int max_slots,
                                 std::shared_ptr<DeviceQueue> queue)
    : shape_(shape), max_slots_(max_slots), queue_(std::move(queue)) {}

// Capacity doubles as it grows, so that moving the contents costs less than writing them did.
int DeviceKvStorage::rounded(int slots) const {
  if (slots == 0) return 0;
  const auto power = static_cast<int>(std::bit_ceil(static_cast<unsigned>(slots)));
  return std::min(std::max(kMinSlots, power), max_slots_);
}

void DeviceKvStorage::reserve(int count) {
  settle();
  if (count <= slots_) return;
  const int slots = rounded(count);
  move_to(queue_->allocate(bytes_of(slots)), slots, slots_);
}

void DeviceKvStorage::move_to(DeviceMemory memory, int slots, int kept) {
  if (kept > 0) {
    queue_->copy_strips(memory.as<std::uint8_t>(), static_cast<std::size_t>(slots) * slot_bytes(),
                        memory_.as<std::uint8_t>(), static_cast<std::size_t>(slots_) * slot_bytes(),
                        static_cast<std::size_t>(kept) * slot_bytes(), strips());
    queue_->wait();  // before the old memory is freed
  }
  memory_ = std::move(memory);
  slots_ = slots;
}

void DeviceKvStorage::fill(int count) {
  constexpr std::uint8_t kByte = 0x2c;  // two of them are the half 0.065
  reserve(count);
  queue_->fill(memory_.as<std::uint8_t>(), kByte, memory_.bytes());
}

KvMemory DeviceKvStorage::kv(int layer) const {
  const auto strip = static_cast<std::size_t>(slots_) * static_cast<std::size_t>(shape_.head_dim);
  const std::size_t all = strip * static_cast<std::size_t>(shape_.kv_heads);
  auto* keys = memory_.as<std::uint16_t>() + static_cast<std::size_t>(layer) * 2 * all;
  return {keys, keys + all, slots_};
}

void DeviceKvStorage::move_accepted(const DraftRows& draft, const Verdict* verdict) const {
  cuda::move_accepted(memory_.as<std::uint16_t>(), static_cast<int>(strips()), slots_,
                      shape_.head_dim, draft, verdict, queue_->stream());
}

void DeviceKvStorage::move_slot(int from, int to) {
  if (from != to) moves_.push_back({from, to});
}

void DeviceKvStorage::settle() const {
  if (moves_.empty()) return;
  const std::size_t bytes = moves_.size() * sizeof(SlotMove);
  if (moves_there_.bytes() < bytes) moves_there_ = DeviceMemory(std::max(bytes, kMinMoves));
  queue_->copy_in(moves_there_.as<SlotMove>(), moves_.data(), bytes);
  move_slots(memory_.as<std::uint16_t>(), static_cast<int>(strips()), slots_, shape_.head_dim,
             moves_there_.as<SlotMove>(), static_cast<int>(moves_.size()), queue_->stream());
  moves_.clear();
}

std::unique_ptr<KvStorage> DeviceKvStorage::fork(int slots) const {
  auto copy = std::make_unique<DeviceKvStorage>(shape_, max_slots_, queue_);
  if (slots == 0) return copy;
  settle();
  // Not by allocate(), because what it frees may be the owner's record of this very cache.
  copy->move_to(DeviceMemory(bytes_of(rounded(slots))), rounded(slots), 0);
  queue_->copy_strips(copy->memory_.as<std::uint8_t>(),
                      static_cast<std::size_t>(copy->slots_) * slot_bytes(),
                      memory_.as<std::uint8_t>(), static_cast<std::size_t>(slots_) * slot_bytes(),
                      static_cast<std::size_t>(slots) * slot_bytes(), strips());
  return copy;
}

void DeviceKvStorage::discard(int from) {
  if (rounded(from) >= slots_) return;
  if (from == 0) {
    moves_.clear();
    memory_ = DeviceMemory();
    slots_ = 0;
    return;
  }
  try {
    settle();
    const int slots = rounded(from);
    move_to(DeviceMemory(bytes_of(slots)), slots, from);
  } catch (const DeviceError&) {
    // There is no memory to move to: it keeps its size.
  }
}

std::size_t DeviceKvStorage::bytes(int slots) const { return bytes_of(rounded(slots)); }

}  // namespace redraft::cuda
