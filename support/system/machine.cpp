#include "support/system/machine.h"

#include <fstream>
#include <set>
#include <sstream>
#include <vector>

namespace redraft {
namespace {

// The values of all lines "key : value" or "key: value kB".
std::vector<std::string> values_of(const std::filesystem::path& file, const std::string& key) {
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

std::uint64_t kibibytes(const std::string& key) {
  const std::vector<std::string> values = values_of("/proc/meminfo", key);
  std::istringstream text(values.empty() ? "" : values.front());
  std::uint64_t count = 0;
  text >> count;
  return count * 1024;
}

}  // namespace

std::string cpu_name(const std::filesystem::path& cpuinfo) {
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

MachineMemory machine_memory() { return {kibibytes("MemTotal"), kibibytes("MemAvailable")}; }

}  // namespace redraft
