#include "indexing/store/segment_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "indexing/store/checksum.h"
#include "indexing/store/store_format.h"
#include "support/files/whole_file.h"

namespace redraft {
namespace {

static_assert(std::endian::native == std::endian::little, "the file stores values in memory order");

constexpr std::uint64_t kMagic = magic_number(kSegmentMagic);
constexpr std::uint64_t kMaxTokens = std::uint64_t{1} << 31;
constexpr std::uint64_t kMaxFirsts = std::uint64_t{1} << 24;

struct Header {
  std::uint64_t magic;
  std::uint64_t key;
  std::uint64_t tokens, suffixes, begins, firsts, definitions;  // counts
  std::uint64_t token_limit;
  std::uint64_t checksums;  // checksum of the table of checksums
  std::uint64_t header;     // checksum of everything before it
};
static_assert(sizeof(Header) == 80);

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

std::uint64_t header_checksum(const Header& header) {
  return checksum(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header)));
}

// The next `count` values of `bytes`, which is large enough.
template <class T>
std::span<const T> take(std::span<const std::byte>& bytes, std::uint64_t count) {
  const auto size = static_cast<std::size_t>(count) * sizeof(T);
  const std::span<const T> taken(reinterpret_cast<const T*>(bytes.data()),
                                 static_cast<std::size_t>(count));
  bytes = bytes.subspan(size);
  return taken;
}

std::uint64_t parts_size(const Header& header) {
  const std::uint64_t values = header.tokens + header.suffixes + header.begins + header.firsts;
  return values * sizeof(std::uint32_t) + header.definitions * sizeof(StoredDefinition);
}

// Bytes of the parts, including the padding that aligns the table after them.
std::uint64_t body_size(const Header& header) { return (parts_size(header) + 7) / 8 * 8; }

std::uint64_t block_count(std::uint64_t body) {
  return (body + SegmentImage::kBlock - 1) / SegmentImage::kBlock;
}

// Checksums of the blocks of several consecutive pieces.
class BlockChecksums {
 public:
  void add(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const auto part = bytes.first(std::min(bytes.size(), SegmentImage::kBlock - block_.size()));
      block_.insert(block_.end(), part.begin(), part.end());
      bytes = bytes.subspan(part.size());
      if (block_.size() == SegmentImage::kBlock) close();
    }
  }
  std::vector<std::uint64_t> take() {
    if (!block_.empty()) close();
    return std::move(checksums_);
  }

 private:
  void close() {
    checksums_.push_back(checksum(block_));
    block_.clear();
  }
  std::vector<std::byte> block_;
  std::vector<std::uint64_t> checksums_;
};

}  // namespace

Result<void> SegmentFile::write(const std::filesystem::path& file, std::uint64_t key,
                                const SegmentParts& parts) {
  Header header{.magic = kMagic,
                .key = key,
                .tokens = parts.tokens.size(),
                .suffixes = parts.suffixes.size(),
                .begins = parts.begins.size(),
                .firsts = parts.firsts.size(),
                .definitions = parts.definitions.size(),
                .token_limit = parts.token_limit,
                .checksums = 0,
                .header = 0};
  const std::vector<std::byte> padding(body_size(header) - parts_size(header));
  const std::array body = {bytes_of(parts.tokens),      bytes_of(parts.suffixes),
                           bytes_of(parts.begins),      bytes_of(parts.firsts),
                           bytes_of(parts.definitions), std::span<const std::byte>(padding)};
  BlockChecksums blocks;
  for (const auto piece : body) blocks.add(piece);
  const std::vector<std::uint64_t> checksums = blocks.take();
  header.checksums = checksum(std::as_bytes(std::span(checksums)));
  header.header = header_checksum(header);
  return write_whole_file(file, {std::as_bytes(std::span(&header, 1)), body[0], body[1], body[2],
                                 body[3], body[4], body[5], std::as_bytes(std::span(checksums))});
}

Result<SegmentFile> SegmentFile::open(const std::filesystem::path& path, std::uint64_t key) {
  Result<MappedFile> map = MappedFile::open(path);
  if (!map) return map.error();
  Result<SegmentImage> image = SegmentImage::parse(std::as_bytes(map->bytes()), key);
  if (!image) return image.error().in(path.string());
  return SegmentFile(path, std::move(*map), *image);
}

Result<void> SegmentFile::verify() const {
  const Result<void> verified = image_.verify();
  return verified ? verified : verified.error().in(path_.string());
}

Result<SegmentImage> SegmentImage::parse(std::span<const std::byte> bytes, std::uint64_t key) {
  std::span<const std::byte> rest = bytes;
  if (rest.size() < sizeof(Header)) return Error("it is too short");
  Header header{};
  std::memcpy(&header, rest.data(), sizeof header);
  rest = rest.subspan(sizeof header);
  if (header.magic != kMagic) return Error("it is no segment of this version");
  if (header.header != header_checksum(header)) return Error("its header is not what was written");
  if (header.key != key) return Error("it was written for another tokenizer");
  const bool sound = header.tokens > 0 && header.tokens < kMaxTokens && header.begins > 1 &&
                     header.begins <= header.tokens + 1 &&
                     header.suffixes == header.tokens - (header.begins - 1) &&
                     header.firsts < kMaxFirsts && header.definitions < kMaxTokens &&
                     header.token_limit < kMaxTokens;
  if (!sound) return Error("its counts contradict each other");
  const std::uint64_t body = body_size(header);
  const std::uint64_t blocks = block_count(body);
  if (rest.size() != body + blocks * sizeof(std::uint64_t)) return Error("its size is wrong");
  SegmentImage image;
  image.body_ = rest.first(body);
  rest = rest.subspan(body);
  image.checksums_ = take<std::uint64_t>(rest, blocks);
  if (checksum(std::as_bytes(image.checksums_)) != header.checksums)
    return Error("its checksums are not what was written");
  std::span<const std::byte> parts = image.body_;
  image.parts_.token_limit = static_cast<std::uint32_t>(header.token_limit);
  image.parts_.tokens = take<TokenId>(parts, header.tokens);
  image.parts_.suffixes = take<std::int32_t>(parts, header.suffixes);
  image.parts_.begins = take<std::uint32_t>(parts, header.begins);
  image.parts_.firsts = take<std::uint32_t>(parts, header.firsts);
  image.parts_.definitions = take<StoredDefinition>(parts, header.definitions);
  if (const Result<void> checked = image.check_parts(); !checked) return checked.error();
  return image;
}

Result<void> SegmentImage::check_parts() const {
  const auto& [tokens, suffixes, begins, firsts, limit, definitions] = parts_;
  // Each text has a separator, so no two texts begin at one place.
  if (begins.front() != 0 || begins.back() != tokens.size() ||
      std::ranges::adjacent_find(begins, std::greater_equal()) != begins.end())
    return Error("its texts do not follow each other");
  if (!firsts.empty() &&
      (firsts.front() != 0 || firsts.back() != suffixes.size() || !std::ranges::is_sorted(firsts)))
    return Error("its table of first tokens is not in order");
  if (tokens.back() != -1) return Error("its last text has no end");
  return {};
}

Result<void> SegmentImage::verify() const {
  for (std::size_t block = 0; block < checksums_.size(); ++block) {
    const auto rest = body_.subspan(block * kBlock);
    if (checksum(rest.first(std::min(rest.size(), kBlock))) != checksums_[block])
      return Error("a part of it is not what was written");
  }
  return {};
}

}  // namespace redraft
