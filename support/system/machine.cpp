#include "support/system/machine.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "support/system/cgroups.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// The values of all lines "key : value" or "key: value kB".
std::vector<std::string> values_of(const fs::path& file, const std::string& key) {
  std::vector<std::string> values;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    values.push_back(begin == std::string::npos ? "" : line.substr(begin));
  }
  return values;
}

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::istringstream stream(text);
  std::uint64_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

std::uint64_t kibibytes(const fs::path& meminfo, const std::string& key) {
  const std::vector<std::string> values = values_of(meminfo, key);
  return values.empty() ? 0 : number_in(values.front()).value_or(0) * 1024;
}

// Bytes of cached files that the system would reclaim from a cgroup.
std::uint64_t reclaimable(const fs::path& group, bool unified) {
  const std::string key = unified ? "inactive_file " : "total_inactive_file ";
  std::ifstream lines(group / "memory.stat");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return number_in(line.substr(key.size())).value_or(0);
  }
  return 0;
}

// Applies the cgroup's limit on this process, if it has one.
void limit_by(const fs::path& group, bool unified, MachineMemory& memory) {
  const auto limit =
      number_in(first_line(group / (unified ? "memory.max" : "memory.limit_in_bytes")));
  const auto used =
      number_in(first_line(group / (unified ? "memory.current" : "memory.usage_in_bytes")));
  if (!limit || !used || *limit >= memory.total_bytes) return;
  memory.total_bytes = *limit;
  const std::uint64_t held = *used - std::min(*used, reclaimable(group, unified));
  memory.available_bytes = std::min(memory.available_bytes, *limit - std::min(*limit, held));
}

}  // namespace

std::string cpu_name(const fs::path& cpuinfo) {
  const std::vector<std::string> names = values_of(cpuinfo, "model name");
  if (!names.empty() && !names.front().empty()) return names.front();
  const std::vector<std::string> makers = values_of(cpuinfo, "CPU implementer");
  const std::vector<std::string> parts = values_of(cpuinfo, "CPU part");
  if (parts.empty() || makers.size() != parts.size()) return "unknown processor";
  std::set<std::string> kinds;
  for (std::size_t i = 0; i < parts.size(); ++i) kinds.insert(makers[i] + "/" + parts[i]);
  std::string name;
  for (const std::string& kind : kinds) name += (name.empty() ? "AArch64 processor " : ", ") + kind;
  return name;
}

MachineMemory machine_memory(const fs::path& root) {
  const fs::path meminfo = root / "proc/meminfo";
  MachineMemory memory{kibibytes(meminfo, "MemTotal"), kibibytes(meminfo, "MemAvailable")};
  for_each_cgroup(root, "memory",
                  [&](const fs::path& group, bool unified) { limit_by(group, unified, memory); });
  return memory;
}

}  // namespace redraft
