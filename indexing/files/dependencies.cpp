#include "indexing/files/dependencies.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

namespace redraft {
namespace {

namespace fs = std::filesystem;

// Enough for .venv/lib/python3.12/site-packages of a package in a folder of packages.
constexpr int kMaxDepth = 6;
// In a larger workspace the packages are near its root.
constexpr std::size_t kMaxFolders = 20'000;

constexpr std::string_view kPackageFolders[] = {"node_modules",  "bower_components",
                                                "jspm_packages", "site-packages",
                                                "dist-packages", "__pypackages__"};
// Hidden folders that contain package folders.
constexpr std::string_view kEnvironments[] = {".venv", ".tox", ".nox"};

bool contains(std::span<const std::string_view> names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// A `vendor` folder may also contain hand-written code.
bool is_filled_by_a_tool(const fs::path& vendor) {
  std::error_code problem;
  for (const char* mark : {"modules.txt", "autoload.php", "bundle"}) {
    if (fs::exists(vendor / mark, problem)) return true;
  }
  for (const auto& package : fs::directory_iterator(vendor, problem))
    return fs::exists(package.path() / ".cargo-checksum.json", problem);
  return false;
}

class Search {
 public:
  explicit Search(const std::stop_token& stop) : stop_(stop) {}

  void look_in(const fs::path& folder, int depth) {
    std::error_code problem;
    std::vector<fs::path> further;
    for (const auto& entry :
         fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, problem)) {
      std::error_code unknown;
      if (stop_.stop_requested() || seen_ >= kMaxFolders) return;
      if (entry.is_symlink(unknown) || !entry.is_directory(unknown)) continue;
      ++seen_;
      const std::string name = entry.path().filename().string();
      if (contains(kPackageFolders, name) ||
          (name == "vendor" && is_filled_by_a_tool(entry.path()))) {
        found_.push_back(entry.path());
      } else if (!name.starts_with('.') || contains(kEnvironments, name)) {
        further.push_back(entry.path());
      }
    }
    if (depth == kMaxDepth) return;
    for (const fs::path& next : further) look_in(next, depth + 1);
  }

  std::vector<fs::path> take() {
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  const std::stop_token& stop_;
  std::size_t seen_ = 0;
  std::vector<fs::path> found_;
};

}  // namespace

std::vector<fs::path> dependency_folders(std::span<const fs::path> roots,
                                         const std::stop_token& stop) {
  Search search(stop);
  for (const fs::path& root : roots) search.look_in(root, 1);
  return search.take();
}

}  // namespace redraft
