// Which indexes of earlier workspaces are kept
//
// An index is worth keeping because the workspace is likely to be opened again. Nothing tells when
// that is no longer so: folders are deleted and projects end. So all indexes together have a
// budget. The least recently used one is removed first, and those of folders that no longer exist
// before all others. Opening an index removes others; `redraft index --prune` and `--forget` do so
// on request. An index that was removed by mistake only costs the time to build it again.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "indexing/store/store_folder.h"

namespace redraft {

// The folder of all indexes, in which each has its own folder; nullopt: there is no cache folder.
std::optional<std::filesystem::path> indexes_folder();

// One index on disk.
struct KeptIndex {
  std::filesystem::path folder;
  // The workspace's folders, canonical; empty: an earlier version of redraft did not record them.
  std::vector<std::filesystem::path> roots;
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type used;  // when it was last opened or saved
};

// All indexes in `folder`, the least recently used first. Other files there are not listed.
std::vector<KeptIndex> kept_indexes(const std::filesystem::path& folder);

struct KeepLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;  // for all indexes together
  // An index whose folders do not exist stays this long, because a drive may only be disconnected.
  std::chrono::hours gone = std::chrono::hours(24 * 7);
  // So does an index that another build of redraft wrote in a format that this one cannot read,
  // because that build may still be in use.
  std::chrono::hours other_format = std::chrono::hours(24 * 7);
};

struct RemovedIndexes {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  std::size_t in_use = 0;  // should have been removed, but a process uses them
};

// Removes indexes in `folder` that were unused for long and have no existing root or another
// format. Then removes the least recently used ones until the rest is within the limit. `except`
// and indexes in use stay and count.
RemovedIndexes prune_indexes(const std::filesystem::path& folder, const KeepLimits& limits,
                             const std::filesystem::path& except = {});
// Removes the indexes in `folder` that have `directory`, or a folder within it, as a root.
RemovedIndexes forget_indexes(const std::filesystem::path& folder,
                              const std::filesystem::path& directory);

}  // namespace redraft
