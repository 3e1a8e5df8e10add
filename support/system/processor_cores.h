#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace redraft {

// What of the processor this process may use.
struct ProcessorCores {
  int hardware_threads = 1;
  int cores = 1;      // hardware threads that share a core's execution units count once
  int efficient = 0;  // of the cores: those of a hybrid processor that are slower
  int too_slow = 0;   // of these: slower than is worth a thread
  int quota = 0;      // of a container or service, in whole hardware threads; 0: none

  // How many compute threads to use by default; at least 1. A second thread on a core adds nothing,
  // because one alone fills its multipliers. Efficiency cores help, because a slow thread of the
  // pool takes less of the work.
  int threads() const;
  // For a report: "16 cores (8 of them slower), 24 hardware threads, a quota of 4".
  std::string description() const;
};

// Of this process.
ProcessorCores processor_cores();
// Of one that may run on the hardware threads `allowed`, by the files under `root` ("/"): Linux's
// sys/devices, sys/fs/cgroup and proc/self/cgroup. A file that is missing, or says what cannot be,
// counts for nothing.
ProcessorCores processor_cores(const std::filesystem::path& root, std::span<const int> allowed);

}  // namespace redraft
