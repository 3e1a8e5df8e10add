#pragma once

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

// A safetensors file, not trusted until parsed: after parse() every tensor's bytes are inside the
// file and shared with no other tensor, together they are all of it, and every name is unique. Only
// the header is copied. Errors name the file, the tensor and the reason.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& file);
  // Parses bytes that outlive the result; `name` is for errors.
  static Result<SafetensorsFile> parse(std::string name, std::span<const std::uint8_t> bytes);

  const std::string& name() const { return name_; }
  // In the order of the header. Shapes have the fastest dimension first, as everywhere in this
  // project; the file has the reverse order.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  // Releases the mapped pages read so far, if the file is mapped.
  void release_pages() const;

  // "FILE: tensor 'NAME': reason".
  Error tensor_error(std::string_view tensor, std::string_view reason) const;

 private:
  friend class SafetensorsParser;
  std::string name_;
  std::optional<JsonDocument> header_;  // owns the names
  std::vector<StoredTensor> tensors_;
  std::optional<MappedFile> map_;
};

}  // namespace redraft
