#include "workspace/engine/freed_memory.h"

#include <chrono>

#include "support/system/heap.h"

namespace redraft {
namespace {

constexpr std::size_t kMany = std::size_t{1} << 20;
// Documents are closed together, and jobs hold them until they end.
constexpr std::chrono::seconds kRest{2};

}  // namespace

void FreedMemory::add(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ >= kMany) return_soon();
}

void FreedMemory::return_soon() {
  bytes_ = 0;
  queue_.cancel(job_);
  job_ = queue_.add([](const DecodeQueue::Control&) { return_free_memory(); }, Urgency::kWarmUp,
                    DecodeQueue::Clock::now() + kRest);
}

}  // namespace redraft
