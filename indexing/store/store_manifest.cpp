#include "indexing/store/store_manifest.h"

#include "indexing/store/checksum.h"
#include "indexing/store/store_bytes.h"
#include "indexing/store/store_format.h"

namespace redraft {
namespace {

constexpr std::uint64_t kMagic = magic_number(kManifestMagic);

std::optional<StoreManifest::Text> read_text(ByteReader& reader) {
  const bool counts = reader.get<std::uint8_t>() != 0;
  if (!counts) return std::nullopt;
  StoreManifest::Text text;
  text.name = reader.get_text();
  text.stamp.size = reader.get<std::uint64_t>();
  text.stamp.modified = reader.get<std::int64_t>();
  text.stamp.inode = reader.get<std::uint64_t>();
  return text;
}

}  // namespace

void put_segment(ByteWriter& writer, const StoreManifest::Segment& segment) {
  writer.put(segment.number);
  writer.put(std::uint64_t{segment.texts.size()});
  for (const auto& text : segment.texts) {
    writer.put(static_cast<std::uint8_t>(text ? 1 : 0));
    if (!text) continue;
    writer.put_text(text->name);
    writer.put(text->stamp.size);
    writer.put(text->stamp.modified);
    writer.put(text->stamp.inode);
  }
}

StoreManifest::Segment get_segment(ByteReader& reader) {
  StoreManifest::Segment segment;
  segment.number = reader.get<std::uint64_t>();
  const std::size_t texts = reader.get_count(1);
  for (std::size_t text = 0; text < texts && !reader.failed(); ++text)
    segment.texts.push_back(read_text(reader));
  return segment;
}

std::vector<std::byte> serialize(const StoreManifest& manifest, std::uint64_t key) {
  ByteWriter writer;
  writer.put(kMagic);
  writer.put(key);
  writer.put(std::uint64_t{manifest.segments.size()});
  for (const StoreManifest::Segment& segment : manifest.segments) put_segment(writer, segment);
  return writer.take_with_checksum();
}

Result<StoreManifest> parse_manifest(std::span<const std::byte> bytes, std::uint64_t key) {
  if (bytes.size() < sizeof(std::uint64_t)) return Error("it is too short");
  const auto body = bytes.first(bytes.size() - sizeof(std::uint64_t));
  if (ByteReader(bytes.last(sizeof(std::uint64_t))).get<std::uint64_t>() != checksum(body))
    return Error("it is not what was written");
  ByteReader reader(body);
  if (reader.get<std::uint64_t>() != kMagic) return Error("it is of another version");
  if (reader.get<std::uint64_t>() != key) return Error("it was written for another tokenizer");
  StoreManifest manifest;
  const std::size_t segments = reader.get_count(2 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < segments && !reader.failed(); ++i)
    manifest.segments.push_back(get_segment(reader));
  if (reader.failed() || !reader.at_end()) return Error("its counts are wrong");
  return manifest;
}

}  // namespace redraft
