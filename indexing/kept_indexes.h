// The indexes of all workspaces that were ever opened, and which of them stay.
//
// An index is worth keeping because the workspace is likely to be opened again. Nobody tells when
// it is not: folders are deleted and projects end. So the indexes together have a budget, the one
// that was not used for longest goes first, and those of folders that are gone go before all
// others. Who opens an index removes others; `redraft index --prune` and `--forget` do it on
// request. An index that was removed by mistake costs the time to build it again, and nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "indexing/store/store_folder.h"

namespace redraft {

// Where all of them are, each in a folder of its own; none: there is no cache folder.
std::optional<std::filesystem::path> indexes_folder();

// One index on disk.
struct KeptIndex {
  std::filesystem::path folder;
  // The workspace's folders, canonical; empty: an earlier version of redraft did not note them.
  std::vector<std::filesystem::path> roots;
  std::uint64_t bytes = 0;
  std::filesystem::file_time_type used;  // when it was opened or saved last
};

// All indexes in `folder`, the one not used for longest first. Other files there are not listed.
std::vector<KeptIndex> kept_indexes(const std::filesystem::path& folder);

struct KeepLimits {
  std::uint64_t bytes = std::uint64_t{4} << 30;  // for all of them together
  // An index of folders that are gone stays this long: a drive may only be away.
  std::chrono::hours gone = std::chrono::hours(24 * 7);
  // And so does one that another build of redraft wrote, in a format that this one cannot read:
  // that build may still be used.
  std::chrono::hours other_format = std::chrono::hours(24 * 7);
};

struct RemovedIndexes {
  std::size_t count = 0;
  std::uint64_t bytes = 0;
  std::size_t in_use = 0;  // were to be removed, but a process uses them
};

// Removes the indexes in `folder` of which no root exists any more and those of other formats, as
// far as nobody has used them for long, then the least recently used
// until the rest is within the limit. `except` stays and counts; so does what is in use.
RemovedIndexes prune_indexes(const std::filesystem::path& folder, const KeepLimits& limits,
                             const std::filesystem::path& except = {});
// Removes the indexes in `folder` that have a root in `directory`, or `directory` itself, as root.
RemovedIndexes forget_indexes(const std::filesystem::path& folder,
                              const std::filesystem::path& directory);

}  // namespace redraft
