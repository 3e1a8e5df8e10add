#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

// Eight lanes in plain C++, as the V of attention_template.h: loops that any compiler can
// vectorise. A multiply-add rounds twice, because a fused one is a library call on processors
// without it, or once if kFused: then the operators have the bits of AVX2 and NEON.
//
// In an unnamed namespace, like all parts of the operators.
namespace redraft::kernels {
namespace {

template <bool kFused>
struct PlainLanes {
  static constexpr int kLanes = 8;
  static constexpr int kQueries = 4;
  struct Float {
    float lane[kLanes];
  };
  struct Int {
    std::int32_t lane[kLanes];
  };
  using Sum = Int;

  template <typename F>
  static Float each(const F& f) {
    Float out;
    for (int i = 0; i < kLanes; ++i) out.lane[i] = f(i);
    return out;
  }
  static Float load(const float* p) {
    return each([&](int i) { return p[i]; });
  }
  static void store(float* p, const Float& a) {
    for (int i = 0; i < kLanes; ++i) p[i] = a.lane[i];
  }
  static void store_fixed(std::int16_t* p, const Float& a) {
    for (int i = 0; i < kLanes; ++i) {
      const float rounded = std::nearbyint(a.lane[i]);
      p[i] = std::fabs(rounded) <= 32767.0f ? static_cast<std::int16_t>(rounded) : 0;  // NaN
    }
  }
  static Float set1(float a) {
    return each([&](int) { return a; });
  }
  static Float add(const Float& a, const Float& b) {
    return each([&](int i) { return a.lane[i] + b.lane[i]; });
  }
  static Float sub(const Float& a, const Float& b) {
    return each([&](int i) { return a.lane[i] - b.lane[i]; });
  }
  static Float mul(const Float& a, const Float& b) {
    return each([&](int i) { return a.lane[i] * b.lane[i]; });
  }
  static Float div(const Float& a, const Float& b) {
    return each([&](int i) { return a.lane[i] / b.lane[i]; });
  }
  static Float fma(const Float& a, const Float& b, const Float& c) {
    return each([&](int i) {
      return kFused ? std::fma(a.lane[i], b.lane[i], c.lane[i]) : a.lane[i] * b.lane[i] + c.lane[i];
    });
  }
  // Like the instructions: b if the two are unordered.
  static Float min(const Float& a, const Float& b) {
    return each([&](int i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  static Float max(const Float& a, const Float& b) {
    return each([&](int i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
  }
  static Float round(const Float& a) {
    return each([&](int i) { return std::nearbyint(a.lane[i]); });
  }
  static Float scale_by_power_of_2(const Float& a, const Float& n) {
    return each([&](int i) {
      if (!(std::fabs(n.lane[i]) <= 127.0f)) return a.lane[i];  // NaN
      const auto exponent = static_cast<std::uint32_t>(static_cast<int>(n.lane[i]) + 127);
      return a.lane[i] * std::bit_cast<float>(exponent << 23);
    });
  }
  static float sum(const Float& a) {
    const float low = (a.lane[0] + a.lane[4]) + (a.lane[2] + a.lane[6]);
    return low + ((a.lane[1] + a.lane[5]) + (a.lane[3] + a.lane[7]));
  }
  static float largest(const Float& a) {
    float most = a.lane[0];
    for (int i = 1; i < kLanes; ++i) most = a.lane[i] > most ? a.lane[i] : most;
    return most;
  }

  static Int zero() { return Int{}; }
  static Int load_int(const std::int32_t* p) {
    Int out;
    std::memcpy(out.lane, p, sizeof(out.lane));
    return out;
  }
  static Int pair(const std::int16_t* p) {
    std::int32_t both;
    std::memcpy(&both, p, sizeof(both));
    Int out;
    for (int i = 0; i < kLanes; ++i) out.lane[i] = both;
    return out;
  }
  static Int dot_pairs(const Int& sum, const Int& a, const Int& b) {
    Int out;
    for (int i = 0; i < kLanes; ++i) {
      const auto low = [](std::int32_t both) { return static_cast<std::int16_t>(both & 0xffff); };
      out.lane[i] =
          sum.lane[i] + low(a.lane[i]) * low(b.lane[i]) + (a.lane[i] >> 16) * (b.lane[i] >> 16);
    }
    return out;
  }
  static Float to_float(const Int& a) {
    return each([&](int i) { return static_cast<float>(a.lane[i]); });
  }

  // out[pair] = a[i], b[i]; kLanes pairs.
  static void interleave(const std::int16_t* a, const std::int16_t* b, std::int32_t* out) {
    for (int i = 0; i < kLanes; ++i) {
      const std::int16_t both[2] = {a[i], b[i]};
      std::memcpy(out + i, both, sizeof(both));
    }
  }
  // out[pair * kLanes + lane] = the pair of pointers[lane].
  static void transpose(const std::int16_t* const* pointers, int dim, std::int32_t* out) {
    for (int i = 0; i < kLanes; ++i) {
      for (int pair = 0; pair < dim / 2; ++pair) {
        std::memcpy(out + pair * kLanes + i, pointers[i] + 2 * pair, sizeof(*out));
      }
    }
  }
};

}  // namespace
}  // namespace redraft::kernels
