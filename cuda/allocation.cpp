// The part of the runtime that is the same on every device.
#include "cuda/runtime.h"

namespace redraft::cuda {

DeviceMemory DeviceQueue::allocate(std::size_t bytes) const {
  for (;;) {
    try {
      return DeviceMemory(bytes);
    } catch (const DeviceMemoryError&) {
      if (!reclaim_ || !reclaim_()) throw;
    }
  }
}

}  // namespace redraft::cuda
