#include "tuning/head/recorded_rows.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace redraft {
namespace {

static_assert(std::endian::native == std::endian::little, "shards are little-endian");

constexpr std::string_view kFormat = "redraft-recorded-rows";
constexpr int kVersion = 1;
constexpr std::string_view kMagic = "rdrftrow";
constexpr JsonLimits kLimits = {.bytes = std::size_t{16} << 20, .values = 1 << 20, .depth = 4};
constexpr std::int64_t kMaxRows = std::int64_t{1} << 31;
constexpr int kMaxNumber = 1 << 30;
constexpr std::size_t kLabelNumbers = 4;  // numbers before the next tokens

// Reads members one after the other and keeps the first error.
class ManifestReader {
 public:
  explicit ManifestReader(const JsonValue& root) : root_(root) {}

  std::string text(std::string_view key) {
    const auto value = member(key);
    if (!value) return {};
    const Result<std::string_view> text = value->text();
    if (!text) fail(text.error());
    return text ? std::string(*text) : std::string();
  }
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most) {
    const auto value = member(key);
    return value ? number(*value, least, most) : least;
  }
  template <typename T>
  std::vector<T> integers(std::string_view key, std::int64_t least, std::int64_t most) {
    std::vector<T> out;
    const auto value = member(key);
    if (!value) return out;
    const Result<JsonValue> array = value->array();
    if (!array) {
      fail(array.error());
      return out;
    }
    for (const JsonValue each : *array) out.push_back(static_cast<T>(number(each, least, most)));
    return out;
  }
  // Rejects a member that has the right type but a wrong value.
  void refuse(std::string_view key, std::string_view reason) {
    if (const auto value = root_.find(key)) fail(value->error(reason));
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  std::optional<JsonValue> member(std::string_view key) {
    const Result<JsonValue> value = root_.at(key);
    if (value) return *value;
    fail(value.error());
    return std::nullopt;
  }
  std::int64_t number(const JsonValue& value, std::int64_t least, std::int64_t most) {
    const Result<std::int64_t> number = value.integer(least, most);
    if (!number) fail(number.error());
    return number ? *number : least;
  }
  void fail(const Error& error) {
    if (!error_) error_ = error;
  }

  JsonValue root_;
  std::optional<Error> error_;
};

RecordedShape read_shape(ManifestReader& reader) {
  RecordedShape shape;
  shape.target = reader.text("target");
  shape.digest = reader.text("digest");
  shape.hidden = static_cast<int>(reader.integer("hidden", 1, 1 << 16));
  shape.target_layers = static_cast<int>(reader.integer("target_layers", 1, 1 << 12));
  shape.vocabulary = static_cast<int>(reader.integer("vocabulary", 1, kMaxNumber));
  shape.layers = reader.integers<int>("layers", 0, shape.target_layers - 1);
  shape.tokens = static_cast<int>(reader.integer("tokens", 1, kMaxHeadTokens));
  if (shape.layers.empty() || shape.layers.size() > kMaxHeadLayers)
    reader.refuse("layers", "expected 1 to 8 layers");
  if (std::ranges::adjacent_find(shape.layers, std::greater_equal<>()) != shape.layers.end())
    reader.refuse("layers", "layers must be in ascending order");
  return shape;
}

std::string hexadecimal(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
  return text;
}

RecordedProgress read_progress(ManifestReader& reader) {
  RecordedProgress progress;
  progress.texts = reader.integer("texts", 0, kMaxRows);
  progress.tokens = reader.integer("text_tokens", 0, std::int64_t{1} << 40);
  const std::string digest = reader.text("texts_digest");
  const char* const end = digest.data() + digest.size();
  const auto parsed = std::from_chars(digest.data(), end, progress.digest, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end)
    reader.refuse("texts_digest", "is not a number");
  progress.shards = reader.integers<std::int64_t>("shards", 0, kMaxRows);
  if (progress.rows() > kMaxRows) reader.refuse("shards", "has too many rows");
  return progress;
}

}  // namespace

std::int64_t RecordedProgress::rows() const {
  return std::accumulate(shards.begin(), shards.end(), std::int64_t{0});
}

Result<RecordedManifest> RecordedManifest::read(const JsonDocument& document) {
  const JsonValue root = document.root();
  if (const Result<JsonValue> object = root.object(); !object) return object.error();
  ManifestReader reader(root);
  if (reader.text("format") != kFormat) reader.refuse("format", "is not a recording of rows");
  if (reader.integer("version", 1, kMaxNumber) != kVersion)
    reader.refuse("version", "this redraft reads version " + std::to_string(kVersion));
  RecordedManifest manifest;
  manifest.shape = read_shape(reader);
  manifest.settings = reader.text("settings");
  manifest.progress = read_progress(reader);
  if (reader.error()) return *reader.error();
  return manifest;
}

std::string RecordedManifest::text() const {
  const nlohmann::ordered_json json = {{"format", kFormat},
                                       {"version", kVersion},
                                       {"target", shape.target},
                                       {"digest", shape.digest},
                                       {"hidden", shape.hidden},
                                       {"target_layers", shape.target_layers},
                                       {"vocabulary", shape.vocabulary},
                                       {"layers", shape.layers},
                                       {"tokens", shape.tokens},
                                       {"settings", settings},
                                       {"texts", progress.texts},
                                       {"text_tokens", progress.tokens},
                                       {"texts_digest", hexadecimal(progress.digest)},
                                       {"rows", progress.rows()},  // for users
                                       {"shards", progress.shards}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::uint64_t digest_of_tokens(std::uint64_t before, std::span<const TokenId> tokens) {
  std::uint64_t hash = before ^ 14695981039346656037ULL;
  const auto take = [&hash](std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8)
      hash = (hash ^ (number >> shift & 0xFF)) * 1099511628211ULL;
  };
  take(static_cast<std::uint32_t>(tokens.size()));
  for (const TokenId token : tokens) take(static_cast<std::uint32_t>(token));
  return hash;
}

std::filesystem::path shard_file(const std::filesystem::path& folder, std::size_t shard,
                                 ShardPart part) {
  char name[48];
  std::snprintf(name, sizeof name, "rows-%04zu.%s", shard,
                part == ShardPart::kFeatures ? "features" : "labels");
  return folder / name;
}

std::array<std::byte, kShardHeaderBytes> shard_header(const RecordedShape& shape, ShardPart part) {
  std::array<std::byte, kShardHeaderBytes> out{};
  std::memcpy(out.data(), kMagic.data(), kMagic.size());
  const std::array<std::uint32_t, 6> numbers = {kVersion,
                                                part == ShardPart::kFeatures ? 0U : 1U,
                                                static_cast<std::uint32_t>(shape.hidden),
                                                static_cast<std::uint32_t>(shape.layers.size()),
                                                static_cast<std::uint32_t>(shape.tokens),
                                                static_cast<std::uint32_t>(shape.vocabulary)};
  std::memcpy(out.data() + kMagic.size(), numbers.data(), sizeof numbers);
  return out;
}

std::size_t row_bytes(const RecordedShape& shape, ShardPart part) {
  if (part == ShardPart::kFeatures) return shape.feature_count() * sizeof(std::uint16_t);
  return (kLabelNumbers + static_cast<std::size_t>(shape.tokens)) * sizeof(std::int32_t);
}

std::vector<std::int32_t> to_record(const RecordedShape& shape, const RowLabels& labels) {
  std::vector<std::int32_t> out = {labels.newest, labels.own ? 1 : 0, labels.source, labels.count};
  out.insert(out.end(), labels.next.begin(), labels.next.begin() + shape.tokens);
  return out;
}

namespace {

// The bytes after the header of a shard's file, which must have at least `rows` rows. Rows after
// these come from a recording that was killed.
Result<std::span<const std::uint8_t>> checked_part(const MappedFile& map,
                                                   const RecordedShape& shape, ShardPart part,
                                                   std::size_t rows,
                                                   const std::filesystem::path& file) {
  const auto header = shard_header(shape, part);
  const std::span<const std::uint8_t> bytes = map.bytes();
  if (bytes.size() < header.size() || std::memcmp(bytes.data(), header.data(), header.size()) != 0)
    return Error(file.string() + ": is not a shard of this recording");
  if ((bytes.size() - header.size()) / row_bytes(shape, part) < rows)
    return Error(file.string() + ": is shorter than " + RecordedManifest::kName + " says");
  return bytes.subspan(header.size(), rows * row_bytes(shape, part));
}

// nullopt if a number is out of its range.
std::optional<RowLabels> labels_of(const RecordedShape& shape, const std::uint8_t* record) {
  std::array<std::int32_t, kLabelNumbers + kMaxHeadTokens> numbers{};
  std::memcpy(numbers.data(), record, row_bytes(shape, ShardPart::kLabels));
  const auto is_token = [&](std::int32_t id) { return id >= 0 && id < shape.vocabulary; };
  const auto [newest, own, source, count] =
      std::tie(numbers[0], numbers[1], numbers[2], numbers[3]);
  if (!is_token(newest) || own < 0 || own > 1 || source < 0 || count < 1 || count > shape.tokens)
    return std::nullopt;
  RowLabels labels{.newest = newest, .own = own == 1, .source = source, .count = count, .next = {}};
  for (int i = 0; i < shape.tokens; ++i) {
    const auto at = static_cast<std::size_t>(i);
    labels.next[at] = numbers[kLabelNumbers + at];
    if (!is_token(labels.next[at])) return std::nullopt;
  }
  return labels;
}

}  // namespace

Result<RecordedRows> RecordedRows::open(const std::filesystem::path& folder) {
  const Result<JsonDocument> document =
      JsonDocument::open(folder / RecordedManifest::kName, kLimits);
  if (!document) return document.error();
  Result<RecordedManifest> manifest = RecordedManifest::read(*document);
  if (!manifest) return manifest.error();
  RecordedRows rows(folder, std::move(*manifest));
  for (std::size_t shard = 0; shard < rows.manifest_.progress.shards.size(); ++shard)
    if (Result<void> read = rows.read_shard(shard); !read) return read.error();
  return rows;
}

Result<void> RecordedRows::read_shard(std::size_t shard) {
  const RecordedShape& shape = manifest_.shape;
  const auto rows = static_cast<std::size_t>(manifest_.progress.shards[shard]);
  const auto labels_file = shard_file(folder_, shard, ShardPart::kLabels);
  const Result<MappedFile> labels = MappedFile::open(labels_file);
  if (!labels) return labels.error();
  const auto records = checked_part(*labels, shape, ShardPart::kLabels, rows, labels_file);
  if (!records) return records.error();
  const auto features_file = shard_file(folder_, shard, ShardPart::kFeatures);
  Result<MappedFile> features = MappedFile::open(features_file);
  if (!features) return features.error();
  const auto checked = checked_part(*features, shape, ShardPart::kFeatures, rows, features_file);
  if (!checked) return checked.error();
  first_rows_.push_back(labels_.size());
  features_.push_back(std::move(*features));
  for (std::size_t row = 0; row < rows; ++row) {
    const auto read =
        labels_of(shape, records->data() + row * row_bytes(shape, ShardPart::kLabels));
    if (!read)
      return Error(labels_file.string() + ": row " + std::to_string(row) +
                   " has a number out of its range");
    labels_.push_back(*read);
  }
  return {};
}

std::span<const std::uint16_t> RecordedRows::features(std::size_t row) const {
  const auto after = std::ranges::upper_bound(first_rows_, row);
  const auto shard = static_cast<std::size_t>(after - first_rows_.begin()) - 1;
  const std::size_t width = shape().feature_count();
  const std::uint8_t* const from = features_[shard].bytes().data() + kShardHeaderBytes +
                                   (row - first_rows_[shard]) * width * sizeof(std::uint16_t);
  // aligned: the beginning of a page, a header of 64 bytes, and rows of 2-byte numbers
  return {reinterpret_cast<const std::uint16_t*>(from), width};
}

}  // namespace redraft
