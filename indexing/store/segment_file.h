#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "indexing/store/stored_definition.h"
#include "support/files/mapped_file.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// What a segment consists of.
struct SegmentParts {
  std::span<const TokenId> tokens;         // of all texts, a separator after each
  std::span<const std::int32_t> suffixes;  // begins of all suffixes but the separators', in order
  std::span<const std::uint32_t> begins;   // of each text in `tokens`, ascending, and the end
  // Where in `suffixes` those begin that have token 0, 1, … first, and the end; empty: not known.
  std::span<const std::uint32_t> firsts;
  std::uint32_t token_limit = 0;  // all tokens are below it; of a damaged file some may not be
  std::span<const StoredDefinition> definitions = {};  // in order
};

// The bytes of a segment on disk: a header, the parts one behind the other, and a checksum of every
// block of them. Little-endian. External data: nothing is believed before it is checked.
class SegmentImage {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;  // bytes under one checksum

  // Checks the header and the size, and of the parts what a search relies on: `begins` and `firsts`
  // ascend within bounds, and `tokens` ends with a separator. Wrong tokens, suffixes and
  // definitions lead to wrong answers, not astray, and are found by verify(). `bytes`, aligned to
  // 8, outlive the image.
  static Result<SegmentImage> parse(std::span<const std::byte> bytes, std::uint64_t key);

  const SegmentParts& parts() const { return parts_; }
  // Reads everything: whether all is as it was written.
  Result<void> verify() const;

 private:
  Result<void> check_parts() const;

  SegmentParts parts_;
  std::span<const std::byte> body_;           // the parts
  std::span<const std::uint64_t> checksums_;  // of its blocks
};

// A segment's file, mapped.
class SegmentFile {
 public:
  // Whole or not at all. Any parts can be written, whether parse() believes them or not.
  static Result<void> write(const std::filesystem::path& file, std::uint64_t key,
                            const SegmentParts& parts);
  static Result<SegmentFile> open(const std::filesystem::path& file, std::uint64_t key);

  const SegmentParts& parts() const { return image_.parts(); }
  Result<void> verify() const;
  void release_pages() const { map_.release_pages(); }

 private:
  SegmentFile(std::filesystem::path path, MappedFile map, SegmentImage image)
      : path_(std::move(path)), map_(std::move(map)), image_(image) {}

  std::filesystem::path path_;
  MappedFile map_;
  SegmentImage image_;
};

}  // namespace redraft
