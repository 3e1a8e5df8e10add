#include "indexing/kept_indexes.h"

#include <algorithm>
#include <regex>
#include <string>
#include <system_error>
#include <utility>

#include "indexing/store/store_format.h"
#include "support/files/user_folders.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

// Folders that cannot be reached (no permission) may exist.
bool is_gone(const fs::path& root) {
  std::error_code problem;
  return fs::status(root, problem).type() == fs::file_type::not_found;
}

bool are_gone(const KeptIndex& index) {
  return !index.roots.empty() && std::ranges::all_of(index.roots, is_gone);
}

// Recognises the folder names that index_folder() gives in a build with another format.
bool is_of_other_format(const fs::path& folder) {
  static const std::regex kName("[0-9a-f]{16}-[0-9a-f]{16}(-([0-9a-z]+))?");
  const std::string name = folder.filename().string();
  std::smatch parts;
  return std::regex_match(name, parts, kName) && parts[2] != store_format();
}

bool is_within(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

void remove(const KeptIndex& index, RemovedIndexes& removed) {
  if (!StoreFolder::remove(index.folder)) {
    ++removed.in_use;
    return;
  }
  ++removed.count;
  removed.bytes += index.bytes;
}

}  // namespace

std::optional<fs::path> indexes_folder() {
  const std::optional<fs::path> cache = user_cache_folder();
  if (!cache) return std::nullopt;
  return *cache / "redraft" / "index";
}

std::vector<KeptIndex> kept_indexes(const fs::path& folder) {
  std::vector<KeptIndex> all;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(folder, problem)) {
    std::optional<StoreFolder::Kept> kept = StoreFolder::kept(entry.path());
    if (!kept) continue;
    KeptIndex index{.folder = entry.path(), .roots = {}, .bytes = kept->bytes, .used = kept->used};
    for (std::string& root : kept->roots) index.roots.emplace_back(std::move(root));
    all.push_back(std::move(index));
  }
  std::ranges::sort(all, {}, &KeptIndex::used);
  return all;
}

RemovedIndexes prune_indexes(const fs::path& folder, const KeepLimits& limits,
                             const fs::path& except) {
  RemovedIndexes removed;
  std::vector<KeptIndex> rest;
  std::uint64_t bytes = 0;
  const auto now = fs::file_time_type::clock::now();
  const auto is_outlived = [&](const KeptIndex& index) {
    if (index.used <= now - limits.gone && are_gone(index)) return true;
    return index.used <= now - limits.other_format && is_of_other_format(index.folder);
  };
  for (KeptIndex& index : kept_indexes(folder)) {
    if (index.folder != except && is_outlived(index)) {
      remove(index, removed);
    } else {
      bytes += index.bytes;
      rest.push_back(std::move(index));
    }
  }
  for (const KeptIndex& index : rest) {
    if (bytes <= limits.bytes) break;
    if (index.folder == except) continue;
    const std::size_t before = removed.count;
    remove(index, removed);
    if (removed.count > before) bytes -= index.bytes;
  }
  return removed;
}

RemovedIndexes forget_indexes(const fs::path& folder, const fs::path& directory) {
  std::error_code problem;
  fs::path wanted = fs::weakly_canonical(directory, problem);
  if (problem) wanted = fs::absolute(directory, problem).lexically_normal();
  if (!wanted.has_filename()) wanted = wanted.parent_path();
  RemovedIndexes removed;
  for (const KeptIndex& index : kept_indexes(folder)) {
    const auto concerns = [&](const fs::path& root) { return is_within(root, wanted); };
    if (std::ranges::any_of(index.roots, concerns)) remove(index, removed);
  }
  return removed;
}

}  // namespace redraft
