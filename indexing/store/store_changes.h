// What changed in a store since its manifest was written, and why it is a file of its own.
//
// The manifest of 20,000 files is two megabytes, and one saved file changes a hundred bytes of it.
// So the manifest stays as it is, and what changed is appended to a file beside it, as records with
// a checksum each. If they become long, a new manifest takes their place.
//
//   changes   header: magic, key, checksum of the manifest that it continues
//             record: size, segments that are gone, texts that are gone, new segments, checksum
//             record: ...
//
// A crash while a record is appended leaves a part of it, which readers ignore: what counts is the
// manifest with the whole records before. A crash between a new manifest and the removal of the
// changes leaves changes of another manifest, which are ignored too. Programs that know only the
// manifest find it in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "indexing/store/store_manifest.h"

namespace redraft {

// The state of a store as far as it can change: segments, and which of their texts count.
class SavedState {
 public:
  SavedState() = default;
  explicit SavedState(const StoreManifest& manifest);

  // A record that leads from here to `now`, and makes this `now`. None if there is none, because a
  // text counts again that was gone, or segments are in another order: then nothing changes here.
  std::optional<std::vector<std::byte>> advance_to(const StoreManifest& now);

 private:
  struct Known {
    std::uint64_t number = 0;
    std::vector<bool> counts;  // for each text
  };
  std::vector<Known> segments_;
};

// The beginning of the file.
std::vector<std::byte> changes_header(std::uint64_t key, std::uint64_t manifest_checksum);

// Applies the whole records of an untrusted file that continues `manifest`, up to the first that is
// damaged or does not fit. Returns where that one begins, in bytes; 0: these are no changes of that
// manifest.
std::size_t apply_changes(std::span<const std::byte> file, std::uint64_t key,
                          std::uint64_t manifest_checksum, StoreManifest& manifest);

}  // namespace redraft
