// The files of an index on disk. The first byte says what the rest is: a manifest as it is, one
// without its checksum, or the parts of a segment, which are then written with the right checksums,
// so that mutation works on what the checksums guard.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "indexing/store/checksum.h"
#include "indexing/store/index_snapshot.h"
#include "indexing/store/segment.h"
#include "indexing/store/store_manifest.h"

namespace redraft {
namespace {

constexpr std::uint64_t kKey = 7;

void read_manifest(std::span<const std::byte> bytes) {
  const Result<StoreManifest> manifest = parse_manifest(bytes, kKey);
  if (!manifest) return;
  const Result<StoreManifest> again = parse_manifest(serialize(*manifest, kKey), kKey);
  if (!again || !(*again == *manifest)) std::abort();
}

std::vector<std::byte> with_checksum(std::span<const std::byte> bytes) {
  std::vector<std::byte> whole(bytes.begin(), bytes.end());
  const std::uint64_t sum = checksum(bytes);
  const auto end = std::as_bytes(std::span(&sum, 1));
  whole.insert(whole.end(), end.begin(), end.end());
  return whole;
}

// Four counts of one byte each, the limit of tokens, then small signed numbers; a count of
// definitions, then the definitions.
std::vector<std::byte> written_segment(std::span<const std::uint8_t> bytes) {
  std::size_t at = 0;
  const auto next = [&] { return at < bytes.size() ? static_cast<std::int8_t>(bytes[at++]) : 0; };
  const auto count = [&] { return static_cast<std::size_t>(static_cast<std::uint8_t>(next())); };
  const std::size_t counts[] = {count(), count(), count(), count()};
  const auto limit = static_cast<std::uint32_t>(count());
  const auto numbers = [&](std::size_t most) {
    std::vector<std::int32_t> values(most);
    for (std::int32_t& value : values) value = next();
    return values;
  };
  const auto tokens = numbers(counts[0]);
  const auto suffixes = numbers(counts[1]);
  const auto begins = numbers(counts[2]);
  const auto firsts = numbers(counts[3]);
  std::vector<StoredDefinition> definitions(count());
  for (StoredDefinition& definition : definitions) {
    const auto number = [&] { return static_cast<std::uint32_t>(next()); };
    definition = {hash_of_name("f"), number(), number(), number()};
  }
  const auto as_unsigned = [](const std::vector<std::int32_t>& values) {
    return std::span(reinterpret_cast<const std::uint32_t*>(values.data()), values.size());
  };
  const auto file = std::filesystem::temp_directory_path() /
                    ("redraft-fuzz-" + std::to_string(::getpid()) + ".segment");
  const Result<void> written = SegmentFile::write(
      file, kKey, {tokens, suffixes, as_unsigned(begins), as_unsigned(firsts), limit, definitions});
  if (!written) std::abort();
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  std::filesystem::remove(file);
  std::vector<std::byte> whole(text.size());
  std::memcpy(whole.data(), text.data(), text.size());
  return whole;
}

// Wrong answers are allowed, tokens that do not exist are not.
void read_segment(std::span<const std::byte> bytes) {
  const Result<std::shared_ptr<const Segment>> segment = Segment::parse(bytes, kKey);
  if (!segment) return;
  const IndexSnapshot snapshot({{*segment, nullptr}});
  for (TokenId a = 0; a < 4; ++a) {
    for (TokenId b = 0; b < 4; ++b) {
      const TokenId context[] = {b, a, b};
      for (const auto& tokens : snapshot.continuations(context, {.shortest = 1}).tokens) {
        for (const TokenId token : tokens) {
          if (token < 0 || token >= 256) std::abort();
        }
      }
    }
    const TokenId key[] = {a};
    for (const auto& [text, token] : snapshot.occurrences(key, 16)) {
      if (token > snapshot.tokens(text).size()) std::abort();
    }
  }
  for (const auto& [text, range] : snapshot.definitions("f", 16)) {
    if (range.begin >= range.end || snapshot.tokens(text).size() > (*segment)->token_count() + 1)
      std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span rest(data + 1, size - 1);
  if (data[0] == 'm') read_manifest(std::as_bytes(rest));
  if (data[0] == 'c') read_manifest(with_checksum(std::as_bytes(rest)));
  if (data[0] == 's') read_segment(written_segment(rest));
  return 0;
}

}  // namespace redraft
