// A file is 8 bytes of header length, the header (a JSON object from names to type, shape and byte
// range) and the data. The header is read by JsonDocument, which bounds it and finds duplicate
// names; everything it says about bytes is checked against the data that is there.
#include "decoding/model/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace redraft {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeaderBytes = 100'000'000;  // the limit of the format itself
constexpr std::size_t kMaxDimensions = 4;
constexpr std::string_view kMetadataKey = "__metadata__";

std::optional<WeightFormat> float_format(std::string_view type) {
  if (type == "F32") return WeightFormat::kF32;
  if (type == "F16") return WeightFormat::kF16;
  if (type == "BF16") return WeightFormat::kBF16;
  return std::nullopt;
}

}  // namespace

// One parse of one file.
class SafetensorsParser {
 public:
  SafetensorsParser(std::string name, std::span<const std::uint8_t> bytes, SafetensorsTypes types)
      : bytes_(bytes), types_(types) {
    file_.name_ = std::move(name);
  }

  Result<SafetensorsFile> run() {
    if (auto read = read_header(); !read) return read.error();
    for (const JsonValue entry : file_.header_->root()) {
      if (entry.key() == kMetadataKey) continue;
      if (auto taken = take_tensor(entry); !taken) return taken.error();
    }
    if (auto checked = check_ranges(); !checked) return checked.error();
    return std::move(file_);
  }

 private:
  Result<void> read_header() {
    std::uint64_t length = 0;
    if (bytes_.size() < kLengthBytes) return Error(file_.name_ + ": not a safetensors file");
    std::memcpy(&length, bytes_.data(), kLengthBytes);
    if (length > kMaxHeaderBytes || length > bytes_.size() - kLengthBytes) {
      return Error(file_.name_ + ": claims a header of " + std::to_string(length) +
                   " bytes, more than it may have (truncated, or not a safetensors file)");
    }
    const auto size = static_cast<std::size_t>(length);
    // A copy: the file may change under the parser.
    const std::string text(reinterpret_cast<const char*>(bytes_.data()) + kLengthBytes, size);
    Result<JsonDocument> header =
        JsonDocument::parse(file_.name_ + ": header", text, {.bytes = kMaxHeaderBytes});
    if (!header) return header.error();
    if (Result<JsonValue> object = header->root().object(); !object) return object.error();
    file_.header_.emplace(std::move(*header));
    data_ = bytes_.subspan(kLengthBytes + size);
    return {};
  }

  Result<void> take_tensor(const JsonValue& entry) {
    const Result<JsonValue> type = entry.at("dtype");
    if (!type) return type.error();
    const Result<std::string_view> type_name = type->text();
    if (!type_name) return type_name.error();
    if (*type_name == "I32" && types_ == SafetensorsTypes::kFloatsAndIntegers) {
      StoredIntegers tensor{.name = entry.key(), .shape = {}, .data = {}};
      if (auto placed = place(entry, sizeof(std::int32_t), tensor); !placed) return placed;
      file_.integers_.push_back(std::move(tensor));
      return {};
    }
    const std::optional<WeightFormat> format = float_format(*type_name);
    if (!format) {
      return file_.tensor_error(
          entry.key(), "its type is " + quoted(*type_name) + "; redraft reads F32, F16 and BF16");
    }
    StoredTensor tensor{.name = entry.key(), .format = *format, .shape = {}, .data = {}};
    if (auto placed = place(entry, weight_format_info(*format)->block_bytes, tensor); !placed)
      return placed;
    file_.tensors_.push_back(std::move(tensor));
    return {};
  }

  // Fills in the shape; returns the number of bytes that it needs with so many for each number.
  template <typename Tensor>
  Result<std::uint64_t> take_shape(const JsonValue& entry, int width, Tensor& tensor) const {
    constexpr std::int64_t kMaxSize = std::numeric_limits<std::int64_t>::max();
    const Result<JsonValue> given = entry.at("shape");
    if (!given) return given.error();
    const Result<JsonValue> shape = given->array();
    if (!shape) return shape.error();
    if (shape->size() > kMaxDimensions) {
      return file_.tensor_error(tensor.name, std::to_string(shape->size()) +
                                                 " dimensions; redraft takes up to " +
                                                 std::to_string(kMaxDimensions));
    }
    std::int64_t bytes = width;
    for (const JsonValue dimension : *shape) {
      const Result<std::int64_t> size = dimension.integer(1, kMaxSize);
      if (!size) return size.error();
      if (__builtin_mul_overflow(bytes, *size, &bytes))
        return file_.tensor_error(tensor.name, "an impossible size");
      tensor.shape.push_back(*size);
    }
    if (tensor.shape.empty()) tensor.shape.push_back(1);  // a scalar
    std::reverse(tensor.shape.begin(), tensor.shape.end());
    return static_cast<std::uint64_t>(bytes);
  }

  // Fills in the shape and the data.
  template <typename Tensor>
  Result<void> place(const JsonValue& entry, int width, Tensor& tensor) const {
    const Result<std::uint64_t> size = take_shape(entry, width, tensor);
    if (!size) return size.error();
    const Result<JsonValue> given = entry.at("data_offsets");
    if (!given) return given.error();
    const Result<JsonValue> range = given->array();
    if (!range) return range.error();
    if (range->size() != 2) return range->error("expected a begin and an end");
    std::array<std::uint64_t, 2> ends{};
    std::size_t i = 0;
    for (const JsonValue end : *range) {
      const Result<std::int64_t> offset = end.integer(0, std::numeric_limits<std::int64_t>::max());
      if (!offset) return offset.error();
      ends[i++] = static_cast<std::uint64_t>(*offset);
    }
    const auto [begin, end] = ends;
    if (begin > end) return range->error("ends before it begins");
    if (end > data_.size()) {
      return file_.tensor_error(tensor.name,
                                "its data lies beyond the end of the file (truncated?)");
    }
    if (end - begin != *size) {
      return file_.tensor_error(tensor.name, "has " + std::to_string(end - begin) +
                                                 " bytes of data where its shape needs " +
                                                 std::to_string(*size));
    }
    tensor.data = data_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(*size));
    return {};
  }

  // Tensors cover all of the data without gaps or overlaps; anything else is a mistake or an
  // attack.
  Result<void> check_ranges() const {
    struct Range {
      std::string_view name;
      std::span<const std::uint8_t> data;
    };
    std::vector<Range> ordered;
    for (const StoredTensor& tensor : file_.tensors_) ordered.push_back({tensor.name, tensor.data});
    for (const StoredIntegers& each : file_.integers_) ordered.push_back({each.name, each.data});
    std::ranges::sort(ordered, {}, [](const Range& range) { return range.data.data(); });
    const std::uint8_t* at = data_.data();
    std::string_view before;
    for (const Range& range : ordered) {
      const std::uint8_t* begin = range.data.data();
      if (begin != at) {
        return file_.tensor_error(range.name, begin < at
                                                  ? "its data overlaps that of " + quoted(before)
                                                  : "its data begins after a gap");
      }
      at = begin + range.data.size();
      before = range.name;
    }
    if (at != data_.data() + data_.size()) {
      return Error(file_.name_ + ": " + std::to_string(data_.data() + data_.size() - at) +
                   " bytes at its end belong to no tensor");
    }
    return {};
  }

  std::span<const std::uint8_t> bytes_;
  SafetensorsTypes types_;
  std::span<const std::uint8_t> data_;
  SafetensorsFile file_;
};

std::vector<std::int32_t> StoredIntegers::values() const {
  std::vector<std::int32_t> out(data.size() / sizeof(std::int32_t));
  std::memcpy(out.data(), data.data(), data.size());
  return out;
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& file,
                                              SafetensorsTypes types) {
  Result<MappedFile> map = MappedFile::open(file, MappedFile::LostPages::kReadAsZeros);
  if (!map) return map.error();
  Result<SafetensorsFile> parsed = parse(file.string(), map->bytes(), types);
  if (parsed) parsed->map_.emplace(std::move(*map));
  return parsed;
}

Result<SafetensorsFile> SafetensorsFile::parse(std::string name,
                                               std::span<const std::uint8_t> bytes,
                                               SafetensorsTypes types) {
  return SafetensorsParser(std::move(name), bytes, types).run();
}

void SafetensorsFile::release_pages() const {
  if (map_) map_->release_pages();
}

Error SafetensorsFile::tensor_error(std::string_view tensor, std::string_view reason) const {
  return Error(name_ + ": tensor " + quoted(tensor) + ": " + std::string(reason));
}

}  // namespace redraft
