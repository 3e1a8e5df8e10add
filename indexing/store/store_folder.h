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

// A store on disk: segment files, a manifest that lists which of them count, and the changes since
// (see store_changes.h). Among all processes that have it open, only the one that holds the lock
// may write; the system releases the lock however that process ends. Not thread-safe.
class StoreFolder {
 public:
  // Creates the folder (mode 0700) if it is missing, and marks it as used now. Fails if it cannot
  // be created or read. Records `roots`, the folders whose files the store has; see kept().
  static Result<StoreFolder> open(std::filesystem::path folder, std::uint64_t key,
                                  const std::vector<std::string>& roots = {});

  // The facts about a store that are available without opening it or holding a lock; nullopt: it is
  // not a store.
  struct Kept {
    std::vector<std::string> roots;        // as recorded by open(); empty: unknown
    std::uint64_t bytes = 0;               // of all its files
    std::filesystem::file_time_type used;  // when it was last opened or saved
  };
  static std::optional<Kept> kept(const std::filesystem::path& folder);
  // Removes a store. False: a process may write to it, or it cannot be removed. Readers keep the
  // files that they have opened. Files in the folder that do not belong to the store stay, and then
  // so does the folder.
  static bool remove(const std::filesystem::path& folder);

  // Whether this process may write; tries to take the lock if nobody holds it.
  bool may_write();

  struct Contents {
    StoreManifest manifest;
    std::vector<std::shared_ptr<const Segment>> segments;  // those of the manifest, in its order
  };
  // Empty if nothing was saved yet. The error says what is damaged: then everything has to be
  // rebuilt, and save() replaces it. Another process may save meanwhile. `on_manifest` is for
  // tests: called each time a manifest was read, before its segments are opened.
  Result<Contents> load(const std::function<void()>& on_manifest = {}) const;

  // The functions below require may_write().
  //
  // Writes a segment under a new number and opens it. It counts once a manifest names it.
  struct Written {
    std::uint64_t number;
    std::shared_ptr<const Segment> segment;
  };
  Result<Written> write(const Segment& segment);
  // Makes this manifest current and removes files that it does not name. Writes the changes since
  // the last save or, if these have become long, everything.
  Result<void> save(const StoreManifest& manifest);

  const std::filesystem::path& path() const { return folder_; }

 private:
  StoreFolder(std::filesystem::path folder, std::uint64_t key, FileHandle lock)
      : folder_(std::move(folder)), key_(key), lock_(std::move(lock)) {}
  std::filesystem::path segment_file(std::uint64_t number) const;
  // The contents of the files, and where they are.
  struct Files {
    StoreManifest manifest;
    std::vector<std::byte> bytes;         // of all of them
    std::uint64_t manifest_bytes = 0;     // of the manifest's file
    std::uint64_t manifest_checksum = 0;  // likewise
    std::uint64_t changes_bytes = 0;      // of the file of changes; 0: missing or unusable
    bool is_whole = true;                 // no partial record follows the last one
  };
  // The contents of the files, as long as only this process writes them.
  struct Saved {
    SavedState state;
    std::uint64_t manifest_bytes = 0;
    std::uint64_t manifest_checksum = 0;
    std::uint64_t changes_bytes = 0;
  };

  Result<Files> read_files() const;
  std::optional<Saved> read_saved() const;
  // False: the manifest has to be written as a whole.
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
  std::optional<Saved> saved_;  // nullopt: unknown
};

}  // namespace redraft
