#include "indexing/store/store_manifest.h"

#include <cstring>
#include <type_traits>

#include "indexing/store/checksum.h"

namespace redraft {
namespace {

constexpr std::uint64_t kMagic = 0x31304e414d524452;  // "RDRMAN01"
constexpr std::uint32_t kLongestName = 1 << 16;

class Writer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  std::vector<std::byte> take() {
    put(checksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

// Never reads beyond the end: from there on everything is zero, and failed() returns true.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value{};
    if (const auto bytes = take(sizeof value); !bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    if (size > kLongestName) failed_ = true;
    const auto bytes = take(failed_ ? 0 : size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // The count of things of at least `size` bytes each.
  std::size_t get_count(std::size_t size) {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / size) failed_ = true;
    return failed_ ? 0 : static_cast<std::size_t>(count);
  }
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> take(std::size_t size) {
    if (size > rest_.size()) failed_ = true;
    if (failed_) return {};
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

std::optional<StoreManifest::Text> read_text(Reader& reader) {
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

std::vector<std::byte> serialize(const StoreManifest& manifest, std::uint64_t key) {
  Writer writer;
  writer.put(kMagic);
  writer.put(key);
  writer.put(std::uint64_t{manifest.segments.size()});
  for (const StoreManifest::Segment& segment : manifest.segments) {
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
  return writer.take();
}

Result<StoreManifest> parse_manifest(std::span<const std::byte> bytes, std::uint64_t key) {
  if (bytes.size() < sizeof(std::uint64_t)) return Error("it is too short");
  const auto body = bytes.first(bytes.size() - sizeof(std::uint64_t));
  if (Reader(bytes.last(sizeof(std::uint64_t))).get<std::uint64_t>() != checksum(body))
    return Error("it is not what was written");
  Reader reader(body);
  if (reader.get<std::uint64_t>() != kMagic) return Error("it is of another version");
  if (reader.get<std::uint64_t>() != key) return Error("it was written for another tokenizer");
  StoreManifest manifest;
  const std::size_t segments = reader.get_count(2 * sizeof(std::uint64_t));
  for (std::size_t i = 0; i < segments && !reader.failed(); ++i) {
    StoreManifest::Segment segment;
    segment.number = reader.get<std::uint64_t>();
    const std::size_t texts = reader.get_count(1);
    for (std::size_t text = 0; text < texts && !reader.failed(); ++text)
      segment.texts.push_back(read_text(reader));
    manifest.segments.push_back(std::move(segment));
  }
  if (reader.failed() || !reader.at_end()) return Error("its counts are wrong");
  return manifest;
}

}  // namespace redraft
