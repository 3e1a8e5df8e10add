#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/model/gguf.h"

namespace redraft {

// Writes small GGUF files: valid ones and, where a test wants, invalid ones.
class GgufWriter {
 public:
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> shape;
    WeightFormat format;
    std::vector<std::uint8_t> data;
    std::int64_t offset_shift = 0;  // added to the correct offset
  };
  std::uint32_t magic = 0x46554747;
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;

  void text(std::string_view key, std::string_view value) {
    begin_value(key, GgufType::kString);
    append_text(values_.back().bytes, value);
  }
  void integer(std::string_view key, std::uint32_t value) {
    begin_value(key, GgufType::kUint32);
    append(values_.back().bytes, value);
  }
  void short_integer(std::string_view key, std::uint16_t value) {
    begin_value(key, GgufType::kUint16);
    append(values_.back().bytes, value);
  }
  void real(std::string_view key, float value) {
    begin_value(key, GgufType::kFloat32);
    append(values_.back().bytes, value);
  }
  void texts(std::string_view key, const std::vector<std::string>& items) {
    begin_value(key, GgufType::kArray);
    append(values_.back().bytes, GgufType::kString);
    append(values_.back().bytes, std::uint64_t{items.size()});
    for (const std::string& item : items) append_text(values_.back().bytes, item);
  }
  void integers(std::string_view key, const std::vector<std::int32_t>& items) {
    begin_value(key, GgufType::kArray);
    append(values_.back().bytes, GgufType::kInt32);
    append(values_.back().bytes, std::uint64_t{items.size()});
    for (const std::int32_t item : items) append(values_.back().bytes, item);
  }
  void booleans(std::string_view key, const std::vector<bool>& items) {
    begin_value(key, GgufType::kArray);
    append(values_.back().bytes, GgufType::kBool);
    append(values_.back().bytes, std::uint64_t{items.size()});
    for (const bool item : items) append(values_.back().bytes, std::uint8_t{item});
  }
  void boolean(std::string_view key, bool value) {
    begin_value(key, GgufType::kBool);
    append(values_.back().bytes, std::uint8_t{value});
  }
  // For a value of its own in place of the one that is there.
  void remove(std::string_view key) {
    std::erase_if(values_, [key](const Value& value) { return value.key == key; });
  }
  void tensor(Tensor tensor) { tensors_.push_back(std::move(tensor)); }
  std::vector<Tensor>& tensors() { return tensors_; }

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> out;
    append(out, magic);
    append(out, version);
    append(out, std::uint64_t{tensors_.size()});
    append(out, std::uint64_t{values_.size()});
    for (const Value& value : values_) {
      append_text(out, value.key);
      out.insert(out.end(), value.bytes.begin(), value.bytes.end());
    }
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
      append_text(out, tensor.name);
      append(out, static_cast<std::uint32_t>(tensor.shape.size()));
      for (const std::int64_t size : tensor.shape) append(out, size);
      append(out, tensor.format);
      append(out, offset + static_cast<std::uint64_t>(tensor.offset_shift));
      offset += padded(tensor.data.size());
    }
    for (const Tensor& tensor : tensors_) {
      out.resize(padded(out.size()));
      out.insert(out.end(), tensor.data.begin(), tensor.data.end());
    }
    return out;
  }

 private:
  struct Value {
    std::string key;
    std::vector<std::uint8_t> bytes;  // its type and itself
  };

  std::size_t padded(std::size_t size) const {
    return (size + alignment - 1) / alignment * alignment;
  }
  template <typename T>
  static void append(std::vector<std::uint8_t>& out, T value) {
    for (const std::uint8_t byte : std::bit_cast<std::array<std::uint8_t, sizeof(T)>>(value))
      out.push_back(byte);
  }
  static void append_text(std::vector<std::uint8_t>& out, std::string_view text) {
    append(out, std::uint64_t{text.size()});
    out.insert(out.end(), text.begin(), text.end());
  }
  void begin_value(std::string_view key, GgufType type) {
    values_.push_back({std::string(key), {}});
    append(values_.back().bytes, type);
  }

  std::vector<Value> values_;
  std::vector<Tensor> tensors_;
};

}  // namespace redraft
