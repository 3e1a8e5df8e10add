// The changes of a store since its manifest was written, and why they have their own file
//
// The manifest of 20,000 files is two megabytes, and one saved file changes a hundred bytes of it.
// So the manifest stays as it is, and changes are appended to a file beside it, as records with a
// checksum each. If the changes become long, a new manifest replaces both.
//
//   changes   header: magic, key, checksum of the manifest that it continues
//             record: size, removed segments, removed texts, new segments, checksum
//             record: ...
//
// A crash while a record is appended leaves a part of it, which readers ignore: they use the
// manifest with the complete records. A crash between a new manifest and the removal of the changes
// leaves changes of another manifest, which readers ignore too. Programs that only know the
// manifest find it at its usual name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "indexing/store/store_manifest.h"

namespace redraft {

// The part of a store's state that can change: its segments, and which of their texts count.
class SavedState {
 public:
  SavedState() = default;
  explicit SavedState(const StoreManifest& manifest);

  // Returns a record that leads from this state to `now`, and makes this state `now`. Returns
  // nullopt and changes nothing if there is no such record, because a removed text counts again or
  // the segments are in another order.
  std::optional<std::vector<std::byte>> advance_to(const StoreManifest& now);

 private:
  struct Known {
    std::uint64_t number = 0;
    std::vector<bool> counts;  // for each text
  };
  std::vector<Known> segments_;
};

// The beginning of the file of changes.
std::vector<std::byte> changes_header(std::uint64_t key, std::uint64_t manifest_checksum);

// Applies the complete records of an untrusted file that continues `manifest`, up to the first that
// is damaged or does not fit. Returns the offset of that record in bytes; 0: the file does not
// continue that manifest.
std::size_t apply_changes(std::span<const std::byte> file, std::uint64_t key,
                          std::uint64_t manifest_checksum, StoreManifest& manifest);

}  // namespace redraft
