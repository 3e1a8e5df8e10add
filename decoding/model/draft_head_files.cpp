#include "decoding/model/draft_head_files.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "decoding/kernels/finite_weights.h"
#include "support/files/whole_file.h"

namespace redraft {

namespace {

constexpr std::string_view kFormat = "redraft-draft-head";
constexpr int kVersion = 1;
constexpr std::string_view kTokensName = "vocabulary.tokens";

constexpr int kMaxHidden = 1 << 16;
constexpr int kMaxTargetLayers = 1 << 12;
constexpr int kMaxWidth = 1 << 20;
constexpr std::size_t kMaxLayers = 8;
constexpr int kMaxTokens = 8;
constexpr int kBlock = 32;  // of the quantised formats in which rows are held
constexpr JsonLimits kConfigLimits = {.bytes = std::size_t{1} << 20, .values = 1 << 12, .depth = 4};

constexpr std::array<std::string_view, 10> kKeys = {
    "format", "version", "hidden", "target_layers", "target_vocabulary",
    "layers", "tokens",  "width",  "vocabulary",    "target"};

Result<void> read_integer(const JsonValue& root, std::string_view key, int least, int most,
                          int& out) {
  const Result<JsonValue> value = root.at(key);
  if (!value) return value.error();
  const Result<std::int64_t> number = value->integer(least, most);
  if (!number) return number.error();
  out = static_cast<int>(*number);
  return {};
}

Result<void> read_blocks(const JsonValue& root, std::string_view key, int most, int& out) {
  if (Result<void> read = read_integer(root, key, kBlock, most, out); !read) return read;
  if (out % kBlock != 0) return root.at(key)->error("is no multiple of 32");
  return {};
}

Result<void> check_format(const JsonValue& root) {
  if (const Result<JsonValue> object = root.object(); !object) return object.error();
  for (const JsonValue each : root) {
    if (std::ranges::find(kKeys, each.key()) == kKeys.end())
      return each.error("is not known to this version of redraft");
  }
  const Result<JsonValue> format = root.at("format");
  if (!format) return format.error();
  const Result<std::string_view> name = format->text();
  if (!name) return name.error();
  if (*name != kFormat) return format->error(quoted(*name) + " is no draft head");
  int version = 0;
  Result<void> read = read_integer(root, "version", 1, std::numeric_limits<int>::max(), version);
  if (read && version != kVersion)
    return root.at("version")->error("this redraft reads version " + std::to_string(kVersion));
  return read;
}

Result<void> read_layers(const JsonValue& root, DraftHeadShape& shape) {
  const Result<JsonValue> given = root.at("layers");
  if (!given) return given.error();
  const Result<JsonValue> layers = given->array();
  if (!layers) return layers.error();
  if (layers->size() == 0 || layers->size() > kMaxLayers)
    return given->error("expected 1 to " + std::to_string(kMaxLayers) + " layers");
  for (const JsonValue each : *layers) {
    const Result<std::int64_t> layer = each.integer(0, shape.target_layers - 1);
    if (!layer) return layer.error();
    if (!shape.layers.empty() && *layer <= shape.layers.back())
      return each.error("layers have to ascend");
    shape.layers.push_back(static_cast<int>(*layer));
  }
  return {};
}

Result<DraftHeadShape> read_shape(const JsonValue& root) {
  if (Result<void> checked = check_format(root); !checked) return checked.error();
  DraftHeadShape shape;
  constexpr int kMaxVocabulary = std::numeric_limits<int>::max();
  Result<void> read = read_blocks(root, "hidden", kMaxHidden, shape.hidden);
  if (read) read = read_integer(root, "target_layers", 1, kMaxTargetLayers, shape.target_layers);
  if (read)
    read = read_integer(root, "target_vocabulary", 1, kMaxVocabulary, shape.target_vocabulary);
  if (read) read = read_layers(root, shape);
  if (read) read = read_integer(root, "tokens", 1, kMaxTokens, shape.tokens);
  if (read) read = read_blocks(root, "width", kMaxWidth, shape.width);
  if (read) read = read_integer(root, "vocabulary", 1, shape.target_vocabulary, shape.vocabulary);
  if (!read) return read.error();
  if (const std::optional<JsonValue> target = root.find("target")) {
    const Result<std::string_view> name = target->text();
    if (!name) return name.error();
    shape.target = *name;
  }
  return shape;
}

// As in the file: the slowest dimension first.
std::string shown(std::span<const std::int64_t> shape) {
  std::string out;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size)
    out += (out.empty() ? "" : ", ") + std::to_string(*size);
  return "[" + out + "]";
}

std::string wrong_shape(std::span<const std::int64_t> given, std::span<const std::int64_t> wanted) {
  return "its shape is " + shown(given) + " where " + shown(wanted) + " is expected";
}

std::vector<std::int64_t> shape_of(const DraftHeadTensor& tensor) {
  if (tensor.rows == 0) return {tensor.columns};
  return {tensor.columns, tensor.rows};
}

const StoredTensor* find(const SafetensorsFile& file, std::string_view name) {
  const auto found = std::ranges::find(file.tensors(), name, &StoredTensor::name);
  return found == file.tensors().end() ? nullptr : &*found;
}

}  // namespace

std::vector<DraftHeadTensor> draft_head_tensors(const DraftHeadShape& shape) {
  const std::int64_t hidden = shape.hidden;
  const auto features = static_cast<std::int64_t>(shape.layers.size());
  std::vector<DraftHeadTensor> out;
  out.push_back({"input.weight", hidden, (features + 1) * hidden});
  for (std::int64_t i = 0; i < features; ++i)
    out.push_back({"input_norm.feature." + std::to_string(i), 0, hidden});
  out.push_back({"input_norm.token", 0, hidden});
  out.push_back({"mlp_norm", 0, hidden});
  out.push_back({"mlp.gate.weight", shape.width, hidden});
  out.push_back({"mlp.up.weight", shape.width, hidden});
  out.push_back({"mlp.down.weight", hidden, shape.width});
  out.push_back({"place_norm", 0, hidden});
  for (int i = 0; i < shape.tokens; ++i)
    out.push_back({"place." + std::to_string(i) + ".weight", hidden, hidden});
  out.push_back({"output_norm", 0, hidden});
  out.push_back({"vocabulary.weight", shape.vocabulary, hidden});
  return out;
}

Result<DraftHeadFiles> DraftHeadFiles::open(const std::filesystem::path& folder) {
  const Result<JsonDocument> config = JsonDocument::open(folder / kConfigName, kConfigLimits);
  if (!config) return config.error();
  Result<SafetensorsFile> weights =
      SafetensorsFile::open(folder / kWeightsName, SafetensorsTypes::kFloatsAndIntegers);
  if (!weights) return weights.error();
  return parse(*config, std::move(*weights));
}

Result<DraftHeadFiles> DraftHeadFiles::parse(const JsonDocument& config, SafetensorsFile weights) {
  Result<DraftHeadShape> shape = read_shape(config.root());
  if (!shape) return shape.error();
  DraftHeadFiles files(config.name(), std::move(*shape), std::move(weights));
  if (Result<void> checked = files.check_tensors(); !checked) return checked.error();
  if (Result<void> taken = files.take_vocabulary(); !taken) return taken.error();
  return files;
}

Result<void> DraftHeadFiles::check_tensors() {
  const std::vector<DraftHeadTensor> wanted = draft_head_tensors(shape_);
  for (const StoredTensor& tensor : weights_.tensors()) {
    const auto found = std::ranges::find(wanted, tensor.name, &DraftHeadTensor::name);
    if (found == wanted.end())
      return weights_.tensor_error(tensor.name, tensor.name == kTokensName
                                                    ? "its type has to be I32"
                                                    : "is no part of this draft head");
    const std::vector<std::int64_t> shape = shape_of(*found);
    if (tensor.shape != shape)
      return weights_.tensor_error(tensor.name, wrong_shape(tensor.shape, shape));
    if (!are_finite(tensor.format, tensor.data))
      return weights_.tensor_error(tensor.name, "holds a number that is not finite");
  }
  for (const DraftHeadTensor& tensor : wanted) {
    if (!find(weights_, tensor.name)) return weights_.tensor_error(tensor.name, "is missing");
  }
  return {};
}

Result<void> DraftHeadFiles::take_vocabulary() {
  for (const StoredIntegers& tensor : weights_.integers()) {
    if (tensor.name != kTokensName)
      return weights_.tensor_error(tensor.name, find(weights_, tensor.name) == nullptr
                                                    ? "is no part of this draft head"
                                                    : "its type has to be F32, F16 or BF16");
    const std::vector<std::int64_t> shape = {shape_.vocabulary};
    if (tensor.shape != shape)
      return weights_.tensor_error(tensor.name, wrong_shape(tensor.shape, shape));
    vocabulary_ = tensor.values();
  }
  if (vocabulary_.empty()) return weights_.tensor_error(kTokensName, "is missing");
  if (std::ranges::adjacent_find(vocabulary_, std::greater_equal<>()) != vocabulary_.end())
    return weights_.tensor_error(kTokensName, "its tokens do not ascend");
  if (vocabulary_.front() < 0 || vocabulary_.back() >= shape_.target_vocabulary) {
    return weights_.tensor_error(
        kTokensName, "holds a token outside 0.." + std::to_string(shape_.target_vocabulary - 1));
  }
  return {};
}

const StoredTensor& DraftHeadFiles::tensor(std::string_view name) const {
  const StoredTensor* const found = find(weights_, name);
  assert(found);
  return *found;
}

Result<void> DraftHeadFiles::check_fits(const TransformerShape& shape,
                                        std::string_view target) const {
  struct Number {
    const char* key;
    int of_head;
    int of_target;
  };
  for (const Number& number :
       {Number{"hidden", shape_.hidden, shape.hidden},
        Number{"target_layers", shape_.target_layers, shape.layers},
        Number{"target_vocabulary", shape_.target_vocabulary, shape.vocabulary}}) {
    if (number.of_head == number.of_target) continue;
    const std::string trained =
        shape_.target.empty()
            ? ""
            : " (it was trained for " + quoted(std::string_view(shape_.target)) + ")";
    return Error(config_name_ + ": " + number.key + ": the head is for a target with " +
                 std::to_string(number.of_head) + trained + ", and " + std::string(target) +
                 " has " + std::to_string(number.of_target));
  }
  return {};
}

namespace {

using Json = nlohmann::ordered_json;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string config_of(const DraftHeadShape& shape) {
  Json config = {{"format", kFormat},
                 {"version", kVersion},
                 {"hidden", shape.hidden},
                 {"target_layers", shape.target_layers},
                 {"target_vocabulary", shape.target_vocabulary},
                 {"layers", shape.layers},
                 {"tokens", shape.tokens},
                 {"width", shape.width},
                 {"vocabulary", shape.vocabulary}};
  if (!shape.target.empty()) config["target"] = shape.target;
  return config.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The weights, then the tokens.
std::string header_of(const DraftHeadShape& shape) {
  Json header;
  std::int64_t at = 0;
  const auto add = [&](std::string_view name, const char* type, const Json& dimensions,
                       std::int64_t count) {
    const std::int64_t end = at + count * 4;
    header[std::string(name)] = {
        {"dtype", type}, {"shape", dimensions}, {"data_offsets", {at, end}}};
    at = end;
  };
  for (const DraftHeadTensor& tensor : draft_head_tensors(shape)) {
    Json dimensions = Json::array();
    if (tensor.rows != 0) dimensions.push_back(tensor.rows);
    dimensions.push_back(tensor.columns);
    add(tensor.name, "F32", dimensions, tensor.size());
  }
  add(kTokensName, "I32", Json::array({shape.vocabulary}), shape.vocabulary);
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // so that the numbers are aligned
  return text;
}

}  // namespace

Result<void> write_draft_head(const std::filesystem::path& folder, const DraftHeadShape& shape,
                              std::span<const float> parameters,
                              std::span<const TokenId> vocabulary) {
  static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");
  static_assert(sizeof(TokenId) == sizeof(std::int32_t));
  assert(static_cast<int>(vocabulary.size()) == shape.vocabulary);
  const std::string config = config_of(shape);
  if (Result<void> written =
          write_whole_file(folder / DraftHeadFiles::kConfigName, {bytes_of(config)});
      !written)
    return written;
  const std::string header = header_of(shape);
  const auto length = std::bit_cast<std::array<std::byte, 8>>(std::uint64_t{header.size()});
  return write_whole_file(
      folder / DraftHeadFiles::kWeightsName,
      {length, bytes_of(header), std::as_bytes(parameters), std::as_bytes(vocabulary)});
}

}  // namespace redraft
