#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "indexing/store/segment.h"
#include "indexing/store/store_changes.h"
#include "indexing/store/store_manifest.h"
#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A store on disk: segment files, a manifest that says which of them count, and what changed since
// (see store_changes.h). Of all processes that have it open one may write: the one that holds the
// lock, which the system releases however that process ends. Not thread-safe.
class StoreFolder {
 public:
  // Creates it (mode 0700) if it is missing. An error if it cannot be created or read. It counts as
  // used now. `roots` are noted in it: the folders whose files the store has; see kept().
  static Result<StoreFolder> open(std::filesystem::path folder, std::uint64_t key,
                                  const std::vector<std::string>& roots = {});

  // What can be said of a store without opening it; none: it is no store. Nobody has to hold a
  // lock.
  struct Kept {
    std::vector<std::string> roots;        // as noted by open(); empty: not known
    std::uint64_t bytes = 0;               // of all its files
    std::filesystem::file_time_type used;  // when it was opened or saved last
  };
  static std::optional<Kept> kept(const std::filesystem::path& folder);
  // Removes a store. False: a process may write to it, or it cannot be removed. Readers keep what
  // they have opened. Files of others that are in the folder stay, and so does the folder then.
  static bool remove(const std::filesystem::path& folder);

  // Whether this process may write; tries to take the lock if nobody holds it.
  bool may_write();

  struct Contents {
    StoreManifest manifest;
    std::vector<std::shared_ptr<const Segment>> segments;  // those of the manifest, in its order
  };
  // Empty if nothing was saved yet. An error says what is damaged: then everything has to be
  // rebuilt, and save() replaces it. Another process may save meanwhile. `on_manifest` is called
  // each time a manifest was read, before its segments are opened. For tests.
  Result<Contents> load(const std::function<void()>& on_manifest = {}) const;

  // The rest requires may_write().
  //
  // Writes a segment under a number of its own and opens it; it counts once a manifest names it.
  struct Written {
    std::uint64_t number;
    std::shared_ptr<const Segment> segment;
  };
  Result<Written> write(const Segment& segment);
  // From now on this manifest counts. Files that it does not name are removed. Writes what changed
  // since the last save or, if that has become long, everything.
  Result<void> save(const StoreManifest& manifest);

  const std::filesystem::path& path() const { return folder_; }

 private:
  StoreFolder(std::filesystem::path folder, std::uint64_t key, FileHandle lock)
      : folder_(std::move(folder)), key_(key), lock_(std::move(lock)) {}
  std::filesystem::path segment_file(std::uint64_t number) const;
  // What is in the files, and where.
  struct Files {
    StoreManifest manifest;
    std::vector<std::byte> bytes;         // of all of them
    std::uint64_t manifest_bytes = 0;     // of the manifest's file
    std::uint64_t manifest_checksum = 0;  // likewise
    std::uint64_t changes_bytes = 0;      // of the other one; 0: it is missing, or of no use
    bool is_whole = true;                 // no part of a record is behind the last one
  };
  // What the files say, as long as only this process writes them.
  struct Saved {
    SavedState state;
    std::uint64_t manifest_bytes = 0;
    std::uint64_t manifest_checksum = 0;
    std::uint64_t changes_bytes = 0;
  };

  Result<Files> read_files() const;
  std::optional<Saved> read_saved() const;
  // False: it has to be written as a whole.
  bool append_changes(const StoreManifest& manifest);
  Result<void> write_manifest(const StoreManifest& manifest);
  void remove_others(const StoreManifest& manifest) const;
  Result<Contents> load_once(const std::function<void()>& on_manifest, bool& changed) const;
  std::uint64_t unused_number() const;

  std::filesystem::path folder_;
  std::uint64_t key_;
  FileHandle lock_;  // of the locked file
  bool locked_ = false;
  std::uint64_t last_number_ = 0;
  std::optional<Saved> saved_;  // none: not known
};

}  // namespace redraft
