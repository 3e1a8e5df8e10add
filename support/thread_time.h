#pragma once

#include <time.h>

#include <chrono>

namespace redraft {

// The processor's time that this thread has used so far: what else the machine does is no part of
// it.
inline std::chrono::nanoseconds thread_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace redraft
