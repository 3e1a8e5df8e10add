// Bit-parallel: one bit for each position of `a`, one round for each token of `b`. After each round
// a zero bit marks a position at which the length of the common subsequence with the tokens of `b`
// so far grows by one.
#include "bench/overlap.h"

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace redraft {
namespace {

constexpr std::size_t kBits = 64;
using Bits = std::vector<std::uint64_t>;

// v = (v + (v & mask)) | (v & ~mask), over all words.
void step(Bits& v, const Bits& mask) {
  std::uint64_t carry = 0;
  for (std::size_t word = 0; word < v.size(); ++word) {
    const std::uint64_t matched = v[word] & mask[word];
    const std::uint64_t partial = v[word] + matched;
    const std::uint64_t sum = partial + carry;
    carry = (partial < matched || sum < partial) ? 1 : 0;
    v[word] = sum | (v[word] & ~mask[word]);
  }
}

}  // namespace

int longest_common_subsequence(std::span<const TokenId> a, std::span<const TokenId> b) {
  const std::size_t words = (a.size() + kBits - 1) / kBits;
  std::unordered_map<TokenId, Bits> masks;
  for (std::size_t i = 0; i < a.size(); ++i) {
    Bits& mask = masks.try_emplace(a[i], words, 0).first->second;
    mask[i / kBits] |= std::uint64_t{1} << (i % kBits);
  }
  Bits v(words, ~std::uint64_t{0});
  for (const TokenId token : b) {
    const auto mask = masks.find(token);
    if (mask != masks.end()) step(v, mask->second);
  }
  int length = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    length += (v[i / kBits] >> (i % kBits) & 1) == 0 ? 1 : 0;
  return length;
}

}  // namespace redraft
