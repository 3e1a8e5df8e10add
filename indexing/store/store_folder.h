#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "indexing/store/segment.h"
#include "indexing/store/store_manifest.h"
#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A store on disk: segment files, and one manifest, replaced as a whole, that says which of them
// count. Of all processes that have it open one may write: the one that holds the lock, which the
// system releases however that process ends. Not thread-safe.
class StoreFolder {
 public:
  // Creates it (mode 0700) if it is missing. An error if it cannot be created or read.
  static Result<StoreFolder> open(std::filesystem::path folder, std::uint64_t key);

  // Whether this process may write; tries to take the lock if nobody holds it.
  bool may_write();

  struct Contents {
    StoreManifest manifest;
    std::vector<std::shared_ptr<const Segment>> segments;  // those of the manifest, in its order
  };
  // Empty if nothing was saved yet. An error says what is damaged: then everything has to be
  // rebuilt, and save() replaces it. Another process may save meanwhile.
  Result<Contents> load() const;

  // The rest requires may_write().
  //
  // Writes a segment under a number of its own and opens it; it counts once a manifest names it.
  struct Written {
    std::uint64_t number;
    std::shared_ptr<const Segment> segment;
  };
  Result<Written> write(const Segment& segment);
  // From now on this manifest counts. Files that it does not name are removed.
  Result<void> save(const StoreManifest& manifest);

  const std::filesystem::path& path() const { return folder_; }

 private:
  StoreFolder(std::filesystem::path folder, std::uint64_t key, FileHandle lock)
      : folder_(std::move(folder)), key_(key), lock_(std::move(lock)) {}
  std::filesystem::path segment_file(std::uint64_t number) const;
  Result<Contents> load_once(bool& changed) const;
  std::uint64_t unused_number() const;

  std::filesystem::path folder_;
  std::uint64_t key_;
  FileHandle lock_;  // of the locked file
  bool locked_ = false;
  std::uint64_t last_number_ = 0;
};

}  // namespace redraft
