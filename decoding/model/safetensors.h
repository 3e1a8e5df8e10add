#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/model/stored_tensor.h"
#include "support/files/mapped_file.h"
#include "support/json/json_document.h"
#include "support/result.h"

namespace redraft {

// A tensor of 32-bit integers. Checked: `data` is all of it.
struct StoredIntegers {
  std::string_view name;               // in its file
  std::vector<std::int64_t> shape;     // as StoredTensor has it
  std::span<const std::uint8_t> data;  // little-endian, at any address

  std::vector<std::int32_t> values() const;
};

// Which types of numbers a file may have. Models have floats alone: one with integers is quantised
// in a way that redraft does not read.
enum class SafetensorsTypes : std::uint8_t { kFloats, kFloatsAndIntegers };

// A safetensors file, not trusted until parsed: after parse() every tensor's bytes are inside the
// file and shared with no other tensor, together they are all of it, and every name is unique. Only
// the header is copied. Errors name the file, the tensor and the reason.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& file,
                                      SafetensorsTypes types = SafetensorsTypes::kFloats);
  // Parses bytes that outlive the result; `name` is for errors.
  static Result<SafetensorsFile> parse(std::string name, std::span<const std::uint8_t> bytes,
                                       SafetensorsTypes types = SafetensorsTypes::kFloats);

  const std::string& name() const { return name_; }
  // In the order of the header. Shapes have the fastest dimension first, as everywhere in this
  // project; the file has the reverse order.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const std::vector<StoredIntegers>& integers() const { return integers_; }
  // Releases the mapped pages read so far, if the file is mapped.
  void release_pages() const;

  // "FILE: tensor 'NAME': reason".
  Error tensor_error(std::string_view tensor, std::string_view reason) const;

 private:
  friend class SafetensorsParser;
  std::string name_;
  std::optional<JsonDocument> header_;  // owns the names
  std::vector<StoredTensor> tensors_;
  std::vector<StoredIntegers> integers_;
  std::optional<MappedFile> map_;
};

}  // namespace redraft
