#include "support/system/cgroups.h"

#include <fstream>

namespace redraft {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLine = 1 << 16;

void walk(const fs::path& mount, std::string_view path, bool unified,
          const std::function<void(const fs::path&, bool)>& look) {
  look(mount, unified);
  fs::path group = mount;
  for (const fs::path& part : fs::path(path).relative_path()) {
    if (part == "..") break;  // outside of what this process can see
    group /= part;
    look(group, unified);
  }
}

}  // namespace

void for_each_cgroup(const fs::path& root, std::string_view controller,
                     const std::function<void(const fs::path&, bool)>& look) {
  const fs::path mount = root / "sys/fs/cgroup";
  const std::string name = "," + std::string(controller) + ",";
  look(mount, true);
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string_view path = std::string_view(line).substr(second + 1);
    if (names == ",,") walk(mount, path, true, look);
    if (names.find(name) != std::string::npos) walk(mount / controller, path, false, look);
  }
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line(kMaxLine, '\0');
  in.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(in.gcount()));
  return line.substr(0, line.find('\n'));
}

}  // namespace redraft
