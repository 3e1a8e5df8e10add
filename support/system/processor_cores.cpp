#include "support/system/processor_cores.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "support/system/cgroups.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxCpus = 1 << 16;
// No processor runs more threads on a core. Some virtual machines report all of their threads as
// one core.
constexpr std::size_t kMaxThreadsPerCore = 8;
// As a fraction of the fastest core's rating by the kernel. The low-power cores that some
// processors have beside their efficiency cores are below this, and far from the memory.
constexpr double kMinSpeed = 1.0 / 3;
// The kernel rates cores of the same kind slightly differently if their highest clock rates differ.
constexpr double kSlower = 0.85;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && rest == text.data() + text.size() ? std::optional(value)
                                                                     : std::nullopt;
}

// Parses "0,64" or "0-3,8". Empty if it is not a list of CPUs.
std::set<int> parse_cpus(std::string_view text) {
  std::set<int> cpus;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const std::size_t dash = part.find('-');
    const auto first = number<int>(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number<int>(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMaxCpus) return {};
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpu);
  }
  return cpus;
}

// Identifies a CPU's core by the first of the CPUs that share it.
int core_of(const fs::path& cpu_folder, int cpu) {
  for (const char* name : {"core_cpus_list", "thread_siblings_list"}) {
    const std::set<int> siblings = parse_cpus(first_line(cpu_folder / "topology" / name));
    if (siblings.contains(cpu) && siblings.size() <= kMaxThreadsPerCore) return *siblings.begin();
  }
  return cpu;
}

// Counts the cores of a hybrid processor that are slower than the fastest: by the kernel's rating,
// or else by the kinds of cores that it names.
void count_slower(const fs::path& devices, const std::map<int, int>& cpu_of_core,
                  ProcessorCores& found) {
  std::map<int, double> speeds;
  double fastest = 0;
  for (const auto& [core, cpu] : cpu_of_core) {
    const auto rating = number<int>(
        first_line(devices / "system/cpu" / ("cpu" + std::to_string(cpu)) / "cpu_capacity"));
    if (!rating || *rating < 1) break;
    speeds[core] = *rating;
    fastest = std::max(fastest, speeds[core]);
  }
  const bool rated = speeds.size() == cpu_of_core.size();
  const std::set<int> atoms = parse_cpus(first_line(devices / "cpu_atom/cpus"));
  int named = 0, slower = 0, too_slow = 0;
  for (const auto& [core, cpu] : cpu_of_core) {
    named += atoms.contains(cpu);
    if (!rated) continue;
    slower += speeds[core] < kSlower * fastest;
    too_slow += speeds[core] < kMinSpeed * fastest;
  }
  if (named == found.cores) named = 0;  // all are of one kind
  found.efficient = std::max(slower, named);
  found.too_slow = too_slow;
}

// A quota in CPUs; nullopt if the two numbers do not form one.
std::optional<double> quota_of(std::string_view quota, std::string_view period) {
  const auto time = number<double>(quota);
  const auto of = number<double>(period);
  if (!time || !of || !(*time > 0) || !(*of > 0) || !std::isfinite(*time / *of)) return {};
  return *time / *of;
}

// The quota that one cgroup sets, in version 2 or 1.
std::optional<double> quota_in(const fs::path& group, bool unified) {
  if (!unified)
    return quota_of(first_line(group / "cpu.cfs_quota_us"),
                    first_line(group / "cpu.cfs_period_us"));
  const std::string line = first_line(group / "cpu.max");
  const std::size_t space = line.find(' ');
  if (space == std::string::npos) return {};
  return quota_of(std::string_view(line).substr(0, space),
                  std::string_view(line).substr(space + 1));
}

// The lowest quota of all groups, in whole CPUs; 0: none.
int quota(const fs::path& root) {
  std::optional<double> lowest;
  for_each_cgroup(root, "cpu", [&lowest](const fs::path& group, bool unified) {
    const std::optional<double> quota = quota_in(group, unified);
    if (quota && (!lowest || *quota < *lowest)) lowest = quota;
  });
  return lowest ? static_cast<int>(std::clamp(std::ceil(*lowest), 1.0, double{kMaxCpus})) : 0;
}

std::vector<int> allowed_cpus() {
  for (int cpus = CPU_SETSIZE; cpus <= kMaxCpus; cpus *= 2) {  // the kernel may know more than 1024
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(cpus), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    if (!set || sched_getaffinity(0, bytes, set.get()) != 0) continue;
    std::vector<int> allowed;
    for (int cpu = 0; cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.get())) allowed.push_back(cpu);
    }
    return allowed;
  }
  std::vector<int> all(std::max(1U, std::thread::hardware_concurrency()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

int ProcessorCores::threads() const {
  const int fast_enough = std::max(1, cores - too_slow);
  return quota > 0 ? std::min(fast_enough, quota) : fast_enough;
}

std::string ProcessorCores::description() const {
  std::string text = std::to_string(cores) + " physical cores";
  if (efficient > 0) text += " (" + std::to_string(efficient) + " of them slower)";
  if (hardware_threads != cores)
    text += ", " + std::to_string(hardware_threads) + " hardware threads";
  if (quota > 0) text += ", a quota of " + std::to_string(quota);
  return text;
}

ProcessorCores processor_cores() { return processor_cores("/", allowed_cpus()); }

ProcessorCores processor_cores(const fs::path& root, std::span<const int> allowed) {
  const fs::path devices = root / "sys/devices";
  std::map<int, int> cpu_of_core;
  for (const int cpu : allowed)
    cpu_of_core.emplace(core_of(devices / "system/cpu" / ("cpu" + std::to_string(cpu)), cpu), cpu);
  ProcessorCores found;
  found.hardware_threads = std::max(1, static_cast<int>(allowed.size()));
  found.cores = std::max(1, static_cast<int>(cpu_of_core.size()));
  found.quota = quota(root);
  count_slower(devices, cpu_of_core, found);
  return found;
}

}  // namespace redraft
