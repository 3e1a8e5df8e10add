#include "cli/common/machine.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace redraft::cli {
namespace {

// "0,64" or "0-1": the threads of one core. The string identifies the core.
std::string siblings_of(int cpu) {
  std::ifstream file("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                     "/topology/thread_siblings_list");
  std::string line;
  std::getline(file, line);
  return line.empty() ? std::to_string(cpu) : line;
}

int cores_by_affinity() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return static_cast<int>(std::thread::hardware_concurrency());
  }
  std::set<std::string> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cores.insert(siblings_of(cpu));
  }
  return static_cast<int>(cores.size());
}

// A container's quota in whole cores; a large number without a quota.
int cores_by_quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0;
  double period = 0;
  if (!(file >> quota >> period) || period <= 0) return 1 << 20;
  return static_cast<int>(std::ceil(quota / period));
}

// The value of "key : value" or "key: value kB".
std::string value_of(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::uint64_t kibibytes(const std::string& key) {
  std::istringstream text(value_of("/proc/meminfo", key));
  std::uint64_t count = 0;
  text >> count;
  return count * 1024;
}

}  // namespace

int physical_cores() { return std::max(1, std::min(cores_by_affinity(), cores_by_quota())); }

std::string cpu_name() {
  const std::string name = value_of("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown processor" : name;
}

Memory memory() { return {kibibytes("MemTotal"), kibibytes("MemAvailable")}; }

std::filesystem::path executable() {
  std::error_code problem;
  return std::filesystem::read_symlink("/proc/self/exe", problem);
}

}  // namespace redraft::cli
