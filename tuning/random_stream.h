#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace redraft {

// Random numbers by index (the mixing function of SplitMix64 over a counter), the same on every
// machine and in any order. So a layer that is computed again drops the same inputs, and threads
// can share the work.
class RandomStream {
 public:
  // Streams with different seeds or numbers are independent.
  RandomStream(std::uint64_t seed, std::uint64_t number);

  std::uint64_t bits(std::uint64_t index) const {
    std::uint64_t x = start_ + (index + 1) * 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
  }
  // In [0, 1).
  double unit(std::uint64_t index) const {
    return static_cast<double>(bits(index) >> 11) * 0x1p-53;
  }

  // Fills `out` with numbers [begin, begin + out.size()) of a dropout mask; `begin` is a multiple
  // of 4. Each is zero with probability `dropout`, to 1/65536, otherwise the factor that keeps the
  // mean.
  void fill_mask(double dropout, std::size_t begin, std::span<float> out) const;

  // The numbers 0 to count - 1 in random order.
  std::vector<std::size_t> permutation(std::size_t count) const;

 private:
  std::uint64_t start_;
};

}  // namespace redraft
