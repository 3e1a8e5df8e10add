#pragma once

#include <time.h>

#include <chrono>

namespace redraft {

// The processor time that this thread has used so far, which excludes other work on the machine.
inline std::chrono::nanoseconds thread_time() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace redraft
