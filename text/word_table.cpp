#include "text/word_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace redraft {
namespace {

template <typename T>
std::uint64_t load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

std::uint64_t mixed(std::uint64_t h) {
  h *= 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

std::uint64_t hash(std::string_view bytes) {
  const char* p = bytes.data();
  std::size_t n = bytes.size();
  std::uint64_t h = mixed(n + 1);
  for (; n > 8; p += 8, n -= 8) h = mixed(h ^ load<std::uint64_t>(p));
  std::uint64_t tail = 0;
  if (n >= 4) {
    tail = load<std::uint32_t>(p) << 32 | load<std::uint32_t>(p + n - 4);
  } else if (n > 0) {
    tail = load<std::uint8_t>(p) << 16 | load<std::uint8_t>(p + n / 2) << 8 |
           load<std::uint8_t>(p + n - 1);
  }
  return mixed(mixed(h ^ tail));
}

std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32); }

}  // namespace

WordTable::WordTable(std::size_t n_tokens)
    : slots_(std::bit_ceil(std::max<std::size_t>(2 * n_tokens, 2)), Slot{0, -1}) {
  starts_.reserve(n_tokens + 1);
  starts_.push_back(0);
}

TokenId WordTable::add(std::string_view bytes, bool findable) {
  const auto id = static_cast<TokenId>(starts_.size() - 1);
  const TokenId same = findable ? find(bytes) : -1;
  text_ += bytes;
  starts_.push_back(text_.size());
  if (!findable || same >= 0) return same;
  const std::uint64_t h = hash(bytes);
  std::size_t i = h & (slots_.size() - 1);
  while (slots_[i].id >= 0) i = (i + 1) & (slots_.size() - 1);
  slots_[i] = {tag_of(h), id};
  return -1;
}

TokenId WordTable::find(std::string_view word) const {
  const std::uint64_t h = hash(word);
  for (std::size_t i = h & (slots_.size() - 1);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].id < 0) return -1;
    if (slots_[i].tag == tag_of(h) && bytes(slots_[i].id) == word) return slots_[i].id;
  }
}

}  // namespace redraft
