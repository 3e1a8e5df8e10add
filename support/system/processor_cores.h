#pragma once

#include <filesystem>
#include <span>
#include <string>

namespace redraft {

// The part of the processor that this process may use.
struct ProcessorCores {
  int hardware_threads = 1;
  int cores = 1;      // hardware threads that share a core count once
  int efficient = 0;  // the slower cores of a hybrid processor
  int too_slow = 0;   // the efficient cores that are too slow to be worth a thread
  int quota = 0;      // of a container or service, in whole hardware threads; 0: none

  // The default number of compute threads; at least 1. A second thread on a core adds nothing,
  // because one alone fills its multipliers. Efficiency cores help, because a slow thread of the
  // pool gets less of the work.
  int threads() const;
  // For a report: "16 cores (8 of them slower), 24 hardware threads, a quota of 4".
  std::string description() const;
};

// For this process.
ProcessorCores processor_cores();
// For a process that may run on the hardware threads `allowed`, according to the files below `root`
// ("/"): Linux's sys/devices, sys/fs/cgroup and proc/self/cgroup. A file that is missing or
// implausible is ignored.
ProcessorCores processor_cores(const std::filesystem::path& root, std::span<const int> allowed);

}  // namespace redraft
