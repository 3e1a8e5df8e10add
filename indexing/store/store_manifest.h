#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "indexing/store/file_stamp.h"
#include "indexing/store/store_bytes.h"
#include "support/result.h"

namespace redraft {

// The content of a store on disk: its segments and, for each, the texts that still count.
struct StoreManifest {
  struct Text {
    std::string name;  // of the file, any bytes
    FileStamp stamp;
    bool operator==(const Text&) const = default;
  };
  struct Segment {
    std::uint64_t number = 0;                // names its file
    std::vector<std::optional<Text>> texts;  // nullopt: removed
    bool operator==(const Segment&) const = default;
  };

  std::vector<Segment> segments;
  bool operator==(const StoreManifest&) const = default;
};

// A segment as a part of a file.
void put_segment(ByteWriter& writer, const StoreManifest::Segment& segment);
StoreManifest::Segment get_segment(ByteReader& reader);

// Includes a checksum of everything. `key` identifies the meaning of the tokens.
std::vector<std::byte> serialize(const StoreManifest& manifest, std::uint64_t key);
// The input is untrusted: the error says what is wrong with it.
Result<StoreManifest> parse_manifest(std::span<const std::byte> bytes, std::uint64_t key);

}  // namespace redraft
