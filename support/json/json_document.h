#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

class JsonValue;

// The limits beyond which a file is rejected. A value takes about 48 bytes however short its text,
// so the number of values is limited too.
struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t values = std::size_t{8} << 20;
  int depth = 64;
};

// A parsed JSON text from an untrusted source. Malformed JSON, invalid UTF-8, a duplicate key in an
// object and anything beyond the limits are errors. Immutable; any thread may read it. Moving it
// leaves every JsonValue valid.
class JsonDocument {
 public:
  // Errors begin with the file's path.
  static Result<JsonDocument> open(const std::filesystem::path& file,
                                   const JsonLimits& limits = {});
  // `name` is used in errors. `text` may be destroyed afterwards.
  static Result<JsonDocument> parse(std::string name, std::string_view text,
                                    const JsonLimits& limits = {});
  ~JsonDocument();
  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;

  const std::string& name() const;
  JsonValue root() const;

  struct Tree;  // the parsed values in memory

 private:
  explicit JsonDocument(std::unique_ptr<const Tree> tree);
  std::unique_ptr<const Tree> tree_;
};

// One value of a document, which outlives it. Cheap to copy. A look-up that finds an unexpected
// value returns an error with its location: "config.json: rope_scaling.factor: expected a number".
class JsonValue {
 public:
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kReal, kText, kArray, kObject };
  class Iterator;

  Kind kind() const;
  bool is_null() const { return kind() == Kind::kNull; }

  Result<bool> boolean() const;
  // A number written without a fraction ("3", not "3.0"), in [least, most].
  Result<std::int64_t> integer(std::int64_t least, std::int64_t most) const;
  // Any finite number.
  Result<double> number() const;
  Result<std::string_view> text() const;

  // The member with that name; an error if it is missing or this is not an object. Takes linear
  // time, so iterate over an object with thousands of members.
  Result<JsonValue> at(std::string_view key) const;
  // The same, but nullopt if it is missing or null, or if this is not an object.
  std::optional<JsonValue> find(std::string_view key) const;

  // This value, if it is an array or an object: a range-for visits its children in file order.
  Result<JsonValue> array() const;
  Result<JsonValue> object() const;
  std::size_t size() const;  // of an array or object, else 0
  Iterator begin() const;
  Iterator end() const;
  // Its name in the object that contains it; otherwise empty.
  std::string_view key() const;

  // "FILE: path.to[3].value: reason".
  Error error(std::string_view reason) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument::Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
  const JsonDocument::Tree* tree_;
  std::uint32_t index_;
};

// Visits the children of an array or object.
class JsonValue::Iterator {
 public:
  // NOLINTBEGIN(readability-identifier-naming): the standard library's names
  using iterator_category = std::forward_iterator_tag;
  using value_type = JsonValue;
  using difference_type = std::ptrdiff_t;
  using pointer = const JsonValue*;
  using reference = JsonValue;
  // NOLINTEND(readability-identifier-naming)

  JsonValue operator*() const { return {tree_, index_}; }
  Iterator& operator++();
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const { return index_ == other.index_; }

 private:
  friend class JsonValue;
  Iterator(const JsonDocument::Tree* tree, std::uint32_t index) : tree_(tree), index_(index) {}
  const JsonDocument::Tree* tree_;
  std::uint32_t index_;
};

}  // namespace redraft
