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

// A safetensors file, hostile until parsed: after parse() every tensor's bytes lie inside the file
// and are its own, together they are the whole of it, and no name comes twice. Nothing is copied
// but the header. Errors name the file, the tensor and the reason.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> open(const std::filesystem::path& file);
  // The same over bytes that outlive the result; `name` is for errors.
  static Result<SafetensorsFile> parse(std::string name, std::span<const std::uint8_t> bytes);

  const std::string& name() const { return name_; }
  // In the order of the header. Shapes are the fastest dimension first, as everywhere here; the
  // file has them the other way round.
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  // Forgets the mapped pages read so far, if there is a map.
  void release_pages() const;

  // "FILE: tensor 'NAME': reason".
  Error tensor_error(std::string_view tensor, std::string_view reason) const;

 private:
  friend class SafetensorsParser;
  std::string name_;
  std::optional<JsonDocument> header_;  // holds the names
  std::vector<StoredTensor> tensors_;
  std::optional<MappedFile> map_;
};

}  // namespace redraft
