#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "indexing/store/checksum.h"

namespace redraft {

// Builds a file of numbers and texts.
class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { put_bytes(std::as_bytes(std::span(&value, 1))); }
  void put_text(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    put_bytes(std::as_bytes(std::span(text)));
  }
  void put_bytes(std::span<const std::byte> bytes) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + bytes.size());
    std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }
  std::vector<std::byte> take_with_checksum() {
    put(checksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

// Never reads beyond the end. From there on every value is zero, and failed() returns true.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    T value{};
    if (const auto bytes = take(sizeof value); !bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    if (size > kLongestText) failed_ = true;
    const auto bytes = take(failed_ ? 0 : size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // Reads the number of items of at least `size` bytes each.
  std::size_t get_count(std::size_t size) {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / size) failed_ = true;
    return failed_ ? 0 : static_cast<std::size_t>(count);
  }
  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  // Removes the next `size` bytes; empty if there are fewer.
  std::span<const std::byte> take(std::size_t size) {
    if (size > rest_.size()) failed_ = true;
    if (failed_) return {};
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

 private:
  static constexpr std::uint32_t kLongestText = 1 << 16;

  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace redraft
