#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "indexing/store/file_stamp.h"
#include "support/result.h"

namespace redraft {

// What is in a store on disk: its segments and, of each, the texts that still count.
struct StoreManifest {
  struct Text {
    std::string name;  // of the file, any bytes
    FileStamp stamp;
    bool operator==(const Text&) const = default;
  };
  struct Segment {
    std::uint64_t number = 0;                // names its file
    std::vector<std::optional<Text>> texts;  // null: gone
    bool operator==(const Segment&) const = default;
  };

  std::vector<Segment> segments;
  bool operator==(const StoreManifest&) const = default;
};

// With a checksum over all. `key` says what the tokens of the segments mean.
std::vector<std::byte> serialize(const StoreManifest& manifest, std::uint64_t key);
// Hostile until parsed: the error says what is wrong with it.
Result<StoreManifest> parse_manifest(std::span<const std::byte> bytes, std::uint64_t key);

}  // namespace redraft
