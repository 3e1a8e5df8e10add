#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "decoding/model/stored_tensor.h"
#include "support/files/mapped_file.h"
#include "support/result.h"

namespace redraft {

// The element types of GGUF metadata, by their numbers in the file.
enum class GgufType : std::uint32_t {
  kUint8 = 0,
  kInt8 = 1,
  kUint16 = 2,
  kInt16 = 3,
  kUint32 = 4,
  kInt32 = 5,
  kFloat32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kUint64 = 10,
  kInt64 = 11,
  kFloat64 = 12,
};

// An array as stored in the file: `bytes` holds exactly `count` elements of `type`, which is never
// kArray.
struct GgufArray {
  GgufType type;
  std::uint64_t count;
  std::span<const std::uint8_t> bytes;
};

// Integers are widened; text and arrays point into the file.
using GgufValue =
    std::variant<std::uint64_t, std::int64_t, double, bool, std::string_view, GgufArray>;

// A GGUF file (version 2 or 3), not trusted until parsed: after parse() every view is inside the
// bytes, no two tensors overlap, and every key and tensor name is unique. Only names and numbers
// are copied, and memory use is bounded by the size of the file, whatever its counts claim. Errors
// name the file, the key or tensor, and the reason.
class GgufFile {
 public:
  // A model in several files is named by the first one (gguf_parts.h), and is like one file: with
  // the keys of the first part and the tensors of all.
  static Result<GgufFile> open(const std::filesystem::path& file);
  // Joins parsed parts, at least one, in their order. An error if they are not all parts of one
  // model.
  static Result<GgufFile> join(std::vector<GgufFile> parts);
  // Parses bytes that outlive the result; `name` is for errors.
  static Result<GgufFile> parse(std::string name, std::span<const std::uint8_t> bytes);

  const std::string& name() const { return name_; }
  std::uint32_t version() const { return version_; }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }
  const StoredTensor* find_tensor(std::string_view name) const;
  const GgufValue* find(std::string_view key) const;
  // Releases the mapped pages read so far, if files are mapped.
  void release_pages() const;

  // Typed look-ups: a key that is missing or has another type is an error.
  Result<std::string_view> text(std::string_view key) const;
  Result<std::int64_t> integer(std::string_view key, std::int64_t least, std::int64_t most) const;
  Result<double> number(std::string_view key) const;
  Result<bool> boolean(std::string_view key) const;
  Result<std::vector<std::string>> texts(std::string_view key) const;
  Result<std::vector<std::int32_t>> integers(std::string_view key) const;
  Result<std::vector<bool>> booleans(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // "FILE: key 'KEY': reason", "FILE: tensor 'NAME': reason".
  Error key_error(std::string_view key, std::string_view reason) const;
  Error tensor_error(std::string_view tensor, std::string_view reason) const;

 private:
  friend class GgufParser;
  // A further part, with the index of its first tensor.
  struct Part {
    std::string name;
    std::size_t first_tensor;
  };

  static Result<GgufFile> open_one(const std::filesystem::path& file);
  Result<void> add(GgufFile part);

  std::string name_;
  std::uint32_t version_ = 0;
  std::unordered_map<std::string_view, GgufValue> values_;
  std::vector<StoredTensor> tensors_;
  std::unordered_map<std::string_view, std::size_t> tensor_index_;
  std::vector<Part> parts_;       // but the first one
  std::vector<MappedFile> maps_;  // of all parts; empty if bytes were parsed
};

}  // namespace redraft
