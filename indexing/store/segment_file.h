#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "indexing/store/stored_definition.h"
#include "support/files/mapped_file.h"
#include "support/result.h"
#include "support/token.h"

namespace redraft {

// The parts of a segment.
struct SegmentParts {
  std::span<const TokenId> tokens;         // of all texts, each followed by a separator
  std::span<const std::int32_t> suffixes;  // sorted begins of all suffixes except the separators'
  std::span<const std::uint32_t> begins;   // of each text in `tokens`, ascending, and the end
  // [t]: where in `suffixes` those with first token t begin, and the end; empty: unknown.
  std::span<const std::uint32_t> firsts;
  std::uint32_t token_limit = 0;  // all tokens are below it, except in a damaged file
  std::span<const StoredDefinition> definitions = {};  // sorted
};

// The bytes of a segment on disk: a header, the parts one after the other, and a checksum for every
// block of them. Little-endian. Untrusted: everything is checked before use.
class SegmentImage {
 public:
  static constexpr std::size_t kBlock = std::size_t{1} << 20;  // bytes under one checksum

  // Checks the header, the size, and the parts that keep a search within bounds: `begins` and
  // `firsts` ascend within bounds, and `tokens` ends with a separator. Wrong tokens, suffixes and
  // definitions lead to wrong answers but not out of bounds; verify() finds them. `bytes`, aligned
  // to 8, outlive the image.
  static Result<SegmentImage> parse(std::span<const std::byte> bytes, std::uint64_t key);

  const SegmentParts& parts() const { return parts_; }
  // Reads everything and checks that nothing is damaged.
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
  // Writes the whole file or nothing. Accepts any parts, even those that parse() would reject.
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
