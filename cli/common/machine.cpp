#include "cli/common/machine.h"

#include <fstream>
#include <sstream>

namespace redraft::cli {
namespace {

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

std::string cpu_name() {
  const std::string name = value_of("/proc/cpuinfo", "model name");
  return name.empty() ? "unknown processor" : name;
}

Memory memory() { return {kibibytes("MemTotal"), kibibytes("MemAvailable")}; }

std::filesystem::path executable() {
  std::error_code problem;
  return std::filesystem::read_symlink("/proc/self/exe", problem);
}

std::filesystem::path transformer_library() {
  constexpr const char* kName = "libredraft-transformer.so";
  const std::filesystem::path folder = executable().parent_path();
  std::error_code problem;
  if (std::filesystem::exists(folder / kName, problem)) return folder / kName;
  return folder.parent_path() / "lib" / "redraft" / kName;
}

}  // namespace redraft::cli
