// Everything is read through ByteReader, which knows how many bytes are left; a count in the file
// is trusted only as far as the bytes after it reach. Parsing walks through the header once:
// metadata, tensor infos, then the checks that need all tensors.
#include "decoding/model/gguf.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

namespace redraft {

namespace {

static_assert(std::endian::native == std::endian::little, "GGUF files are little-endian");

constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr int kMaxDimensions = 4;
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::string_view kAlignmentKey = "general.alignment";

// Reads forward through the bytes; every read reports whether there were enough.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::size_t offset() const { return offset_; }
  std::size_t left() const { return bytes_.size() - offset_; }

  template <typename T>
  bool read(T& out) {
    if (left() < sizeof(T)) return false;
    std::memcpy(&out, bytes_.data() + offset_, sizeof(T));
    offset_ += sizeof(T);
    return true;
  }
  bool take(std::uint64_t count, std::span<const std::uint8_t>& out) {
    if (left() < count) return false;
    out = bytes_.subspan(offset_, static_cast<std::size_t>(count));
    offset_ += static_cast<std::size_t>(count);
    return true;
  }
  bool read_text(std::string_view& out) {
    std::uint64_t length = 0;
    std::span<const std::uint8_t> view;
    if (!read(length) || !take(length, view)) return false;
    out = {reinterpret_cast<const char*>(view.data()), view.size()};
    return true;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t offset_ = 0;
};

// Bytes of one element; 0 for text, arrays and unknown types.
std::size_t scalar_bytes(GgufType type) {
  switch (type) {
    case GgufType::kUint8:
    case GgufType::kInt8:
    case GgufType::kBool:
      return 1;
    case GgufType::kUint16:
    case GgufType::kInt16:
      return 2;
    case GgufType::kUint32:
    case GgufType::kInt32:
    case GgufType::kFloat32:
      return 4;
    case GgufType::kUint64:
    case GgufType::kInt64:
    case GgufType::kFloat64:
      return 8;
    default:
      return 0;
  }
}

template <typename T>
bool read_as(ByteReader& reader, GgufValue& out) {
  T value{};
  if (!reader.read(value)) return false;
  if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<double>(value);
  } else if constexpr (std::is_signed_v<T>) {
    out = static_cast<std::int64_t>(value);
  } else {
    out = static_cast<std::uint64_t>(value);
  }
  return true;
}

bool read_scalar(ByteReader& reader, GgufType type, GgufValue& out) {
  switch (type) {
    case GgufType::kUint8:
      return read_as<std::uint8_t>(reader, out);
    case GgufType::kInt8:
      return read_as<std::int8_t>(reader, out);
    case GgufType::kUint16:
      return read_as<std::uint16_t>(reader, out);
    case GgufType::kInt16:
      return read_as<std::int16_t>(reader, out);
    case GgufType::kUint32:
      return read_as<std::uint32_t>(reader, out);
    case GgufType::kInt32:
      return read_as<std::int32_t>(reader, out);
    case GgufType::kUint64:
      return read_as<std::uint64_t>(reader, out);
    case GgufType::kInt64:
      return read_as<std::int64_t>(reader, out);
    case GgufType::kFloat32:
      return read_as<float>(reader, out);
    case GgufType::kFloat64:
      return read_as<double>(reader, out);
    case GgufType::kBool: {
      std::uint8_t value = 0;
      if (!reader.read(value)) return false;
      out = value != 0;
      return true;
    }
    default:
      return false;
  }
}

std::optional<std::int64_t> as_integer(const GgufValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto* number = std::get_if<std::uint64_t>(&value);
  if (!number || *number > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

}  // namespace

// One parse of one file.
class GgufParser {
 public:
  GgufParser(std::string name, std::span<const std::uint8_t> bytes)
      : bytes_(bytes), reader_(bytes) {
    file_.name_ = std::move(name);
  }

  Result<GgufFile> run() {
    std::uint64_t n_tensors = 0;
    std::uint64_t n_values = 0;
    if (auto header = read_header(n_tensors, n_values); !header) return header.error();
    for (std::uint64_t i = 0; i < n_values; ++i) {
      if (auto value = read_value(); !value) return value.error();
    }
    for (std::uint64_t i = 0; i < n_tensors; ++i) {
      if (auto info = read_tensor_info(); !info) return info.error();
    }
    if (auto placed = place_tensors(); !placed) return placed.error();
    return std::move(file_);
  }

 private:
  Error truncated(std::string_view where) const {
    return Error(file_.name_ + ": truncated in " + std::string(where) + " at byte " +
                 std::to_string(reader_.offset()) + " of " + std::to_string(bytes_.size()));
  }

  Result<void> read_header(std::uint64_t& n_tensors, std::uint64_t& n_values) {
    std::uint32_t magic = 0;
    if (!reader_.read(magic) || magic != kMagic) return Error(file_.name_ + ": not a GGUF file");
    if (!reader_.read(file_.version_)) return truncated("the header");
    if (file_.version_ != 2 && file_.version_ != 3) {
      return Error(file_.name_ + ": GGUF version " + std::to_string(file_.version_) +
                   "; redraft reads 2 and 3");
    }
    if (!reader_.read(n_tensors) || !reader_.read(n_values)) return truncated("the header");
    // The fewest bytes that an entry takes: an empty name, its type, one byte of value or one
    // dimension.
    constexpr std::uint64_t kMinValue = 13;
    constexpr std::uint64_t kMinTensor = 32;
    if (n_values > reader_.left() / kMinValue) {
      return Error(file_.name_ + ": claims " + std::to_string(n_values) +
                   " metadata keys, more than it has room for");
    }
    if (n_tensors > reader_.left() / kMinTensor) {
      return Error(file_.name_ + ": claims " + std::to_string(n_tensors) +
                   " tensors, more than it has room for");
    }
    return {};
  }

  Result<void> read_value() {
    std::string_view key;
    GgufType type{};
    if (!reader_.read_text(key) || !reader_.read(type)) return truncated("the metadata");
    GgufValue value;
    if (type == GgufType::kString) {
      std::string_view text;
      if (!reader_.read_text(text)) return truncated("key " + quoted(key));
      value = text;
    } else if (type == GgufType::kArray) {
      Result<GgufArray> array = read_array(key);
      if (!array) return array.error();
      value = *array;
    } else if (scalar_bytes(type) == 0) {
      return file_.key_error(
          key, "unknown value type " + std::to_string(static_cast<std::uint32_t>(type)));
    } else if (!read_scalar(reader_, type, value)) {
      return truncated("key " + quoted(key));
    }
    if (!file_.values_.emplace(key, value).second) return file_.key_error(key, "comes twice");
    return {};
  }

  Result<GgufArray> read_array(std::string_view key) {
    GgufArray array{};
    if (!reader_.read(array.type) || !reader_.read(array.count))
      return truncated("key " + quoted(key));
    const std::size_t start = reader_.offset();
    if (array.type == GgufType::kString) {
      for (std::uint64_t i = 0; i < array.count; ++i) {
        std::string_view text;
        if (!reader_.read_text(text)) return truncated("key " + quoted(key));
      }
      array.bytes = bytes_.subspan(start, reader_.offset() - start);
      return array;
    }
    const std::size_t size = scalar_bytes(array.type);
    if (size == 0) {
      return file_.key_error(key, "array of unsupported type " +
                                      std::to_string(static_cast<std::uint32_t>(array.type)));
    }
    if (array.count > reader_.left() / size || !reader_.take(array.count * size, array.bytes)) {
      return truncated("key " + quoted(key));
    }
    return array;
  }

  Result<void> read_tensor_info() {
    StoredTensor tensor{};
    std::uint32_t n_dimensions = 0;
    if (!reader_.read_text(tensor.name) || !reader_.read(n_dimensions))
      return truncated("the tensor list");
    if (n_dimensions < 1 || n_dimensions > kMaxDimensions) {
      return file_.tensor_error(tensor.name,
                                std::to_string(n_dimensions) + " dimensions; 1 to 4 are possible");
    }
    for (std::uint32_t d = 0; d < n_dimensions; ++d) {
      std::int64_t size = 0;
      if (!reader_.read(size)) return truncated("tensor " + quoted(tensor.name));
      if (size < 1) return file_.tensor_error(tensor.name, "an impossible dimension");
      tensor.shape.push_back(size);
    }
    std::uint64_t offset = 0;
    if (!reader_.read(tensor.format) || !reader_.read(offset))
      return truncated("tensor " + quoted(tensor.name));
    if (!file_.tensor_index_.emplace(tensor.name, file_.tensors_.size()).second) {
      return file_.tensor_error(tensor.name, "comes twice");
    }
    file_.tensors_.push_back(std::move(tensor));
    offsets_.push_back(offset);
    return {};
  }

  // The size of a tensor in bytes, or why it cannot have one.
  Result<std::uint64_t> tensor_bytes(const StoredTensor& tensor) const {
    const WeightFormatInfo* info = weight_format_info(tensor.format);
    if (!info) {
      return file_.tensor_error(tensor.name,
                                "weight format " +
                                    std::to_string(static_cast<std::uint32_t>(tensor.format)) +
                                    " is unknown to redraft");
    }
    if (tensor.shape[0] % info->block_size != 0) {
      return file_.tensor_error(tensor.name, "rows of " + std::to_string(tensor.shape[0]) +
                                                 " weights are not whole " + info->name +
                                                 " blocks of " + std::to_string(info->block_size));
    }
    std::int64_t bytes = tensor.shape[0] / info->block_size;
    bool overflow = __builtin_mul_overflow(bytes, std::int64_t{info->block_bytes}, &bytes);
    std::int64_t elements = tensor.shape[0];
    for (std::size_t d = 1; d < tensor.shape.size(); ++d) {
      overflow |= __builtin_mul_overflow(bytes, tensor.shape[d], &bytes);
      overflow |= __builtin_mul_overflow(elements, tensor.shape[d], &elements);
    }
    if (overflow) return file_.tensor_error(tensor.name, "an impossible size");
    return static_cast<std::uint64_t>(bytes);
  }

  Result<std::uint64_t> alignment() const {
    if (!file_.has(kAlignmentKey)) return kDefaultAlignment;
    Result<std::int64_t> value = file_.integer(kAlignmentKey, 1, 1 << 30);
    if (!value) return value.error();
    if (!std::has_single_bit(static_cast<std::uint64_t>(*value))) {
      return file_.key_error(kAlignmentKey, std::to_string(*value) + " is not a power of two");
    }
    return static_cast<std::uint64_t>(*value);
  }

  // Gives every tensor its bytes: inside the file, aligned, and shared with no other tensor.
  Result<void> place_tensors() {
    if (file_.tensors_.empty()) return {};
    Result<std::uint64_t> align = alignment();
    if (!align) return align.error();
    const std::uint64_t start = (reader_.offset() + *align - 1) / *align * *align;
    if (start > bytes_.size()) return truncated("the tensor data");
    const std::span<const std::uint8_t> data = bytes_.subspan(static_cast<std::size_t>(start));
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      StoredTensor& tensor = file_.tensors_[i];
      Result<std::uint64_t> size = tensor_bytes(tensor);
      if (!size) return size.error();
      if (offsets_[i] % *align != 0)
        return file_.tensor_error(tensor.name, "its data is misaligned");
      if (offsets_[i] > data.size() || *size > data.size() - offsets_[i]) {
        return file_.tensor_error(tensor.name,
                                  "its data lies beyond the end of the file (truncated?)");
      }
      tensor.data =
          data.subspan(static_cast<std::size_t>(offsets_[i]), static_cast<std::size_t>(*size));
    }
    return check_overlap();
  }

  Result<void> check_overlap() const {
    std::vector<const StoredTensor*> ordered;
    for (const StoredTensor& tensor : file_.tensors_) ordered.push_back(&tensor);
    std::sort(ordered.begin(), ordered.end(), [](const StoredTensor* a, const StoredTensor* b) {
      return a->data.data() < b->data.data();
    });
    for (std::size_t i = 1; i < ordered.size(); ++i) {
      const StoredTensor& before = *ordered[i - 1];
      if (before.data.data() + before.data.size() > ordered[i]->data.data()) {
        return file_.tensor_error(ordered[i]->name,
                                  "its data overlaps that of " + quoted(before.name));
      }
    }
    return {};
  }

  std::span<const std::uint8_t> bytes_;
  ByteReader reader_;
  GgufFile file_;
  std::vector<std::uint64_t> offsets_;  // of the tensors, from the start of the data
};

Result<GgufFile> GgufFile::open_one(const std::filesystem::path& file) {
  Result<MappedFile> map = MappedFile::open(file, MappedFile::LostPages::kReadAsZeros);
  if (!map) return map.error();
  Result<GgufFile> parsed = parse(file.string(), map->bytes());
  if (parsed) parsed->maps_.push_back(std::move(*map));
  return parsed;
}

Result<GgufFile> GgufFile::parse(std::string name, std::span<const std::uint8_t> bytes) {
  return GgufParser(std::move(name), bytes).run();
}

void GgufFile::release_pages() const {
  for (const MappedFile& map : maps_) map.release_pages();
}

const StoredTensor* GgufFile::find_tensor(std::string_view name) const {
  const auto found = tensor_index_.find(name);
  return found == tensor_index_.end() ? nullptr : &tensors_[found->second];
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : &found->second;
}

Error GgufFile::key_error(std::string_view key, std::string_view reason) const {
  return Error(name_ + ": key " + quoted(key) + ": " + std::string(reason));
}

Error GgufFile::tensor_error(std::string_view tensor, std::string_view reason) const {
  const auto found = tensor_index_.find(tensor);
  const std::string* name = &name_;
  for (const Part& part : parts_) {
    if (found != tensor_index_.end() && found->second >= part.first_tensor) name = &part.name;
  }
  return Error(*name + ": tensor " + quoted(tensor) + ": " + std::string(reason));
}

Result<std::string_view> GgufFile::text(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  const auto* text = std::get_if<std::string_view>(value);
  if (!text) return key_error(key, "is not text");
  return *text;
}

Result<std::int64_t> GgufFile::integer(std::string_view key, std::int64_t least,
                                       std::int64_t most) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  const std::optional<std::int64_t> number = as_integer(*value);
  if (!number) return key_error(key, "is not a whole number");
  if (*number < least || *number > most) {
    return key_error(key, std::to_string(*number) + " is outside " + std::to_string(least) + ".." +
                              std::to_string(most));
  }
  return *number;
}

Result<double> GgufFile::number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  if (const auto* real = std::get_if<double>(value)) return *real;
  if (const auto whole = as_integer(*value)) return static_cast<double>(*whole);
  return key_error(key, "is not a number");
}

Result<bool> GgufFile::boolean(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  const auto* flag = std::get_if<bool>(value);
  if (!flag) return key_error(key, "is not true or false");
  return *flag;
}

Result<std::vector<std::string>> GgufFile::texts(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  const auto* array = std::get_if<GgufArray>(value);
  if (!array || array->type != GgufType::kString) return key_error(key, "is not a list of texts");
  std::vector<std::string> out;
  ByteReader reader(array->bytes);
  for (std::string_view text; out.size() < array->count && reader.read_text(text);)
    out.emplace_back(text);
  return out;
}

Result<std::vector<std::int32_t>> GgufFile::integers(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  const auto* array = std::get_if<GgufArray>(value);
  const auto fail = [&] { return key_error(key, "is not a list of 32-bit whole numbers"); };
  if (!array || (array->type != GgufType::kInt32 && array->type != GgufType::kUint32))
    return fail();
  std::vector<std::int32_t> out(static_cast<std::size_t>(array->count));
  if (!out.empty()) std::memcpy(out.data(), array->bytes.data(), array->bytes.size());
  if (array->type == GgufType::kUint32 &&
      std::any_of(out.begin(), out.end(), [](int v) { return v < 0; }))
    return fail();
  return out;
}

Result<std::vector<bool>> GgufFile::booleans(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value) return key_error(key, "missing");
  const auto* array = std::get_if<GgufArray>(value);
  if (!array || array->type != GgufType::kBool)
    return key_error(key, "is not a list of true and false");
  std::vector<bool> out;
  for (const auto byte : array->bytes) out.push_back(static_cast<int>(byte) != 0);
  return out;
}

}  // namespace redraft
