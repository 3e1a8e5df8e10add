#include "tuning/random_stream.h"

#include <cassert>
#include <numeric>
#include <utility>

namespace redraft {

RandomStream::RandomStream(std::uint64_t seed, std::uint64_t number) : start_(seed) {
  start_ = bits(0);  // so that the streams of neighbouring seeds do not overlap
  start_ = bits(number);
}

void RandomStream::fill_mask(double dropout, std::size_t begin, std::span<float> out) const {
  assert(begin % 4 == 0);
  // Sixteen bits decide each number, so one draw is enough for four of them.
  const auto limit = static_cast<std::uint32_t>(dropout * 65536 + 0.5);
  const auto kept = static_cast<float>(65536.0 / (65536.0 - limit));
  for (std::size_t i = 0; i < out.size(); i += 4) {
    const std::uint64_t draw = bits((begin + i) / 4);
    for (std::size_t j = 0; j < 4 && i + j < out.size(); ++j)
      out[i + j] = ((draw >> (16 * j)) & 0xFFFF) < limit ? 0.0F : kept;
  }
}

std::vector<std::size_t> RandomStream::permutation(std::size_t count) const {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Fisher and Yates; the bias of the remainder is below count / 2^64.
  for (std::size_t i = count; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(bits(i) % i)]);
  return order;
}

}  // namespace redraft
