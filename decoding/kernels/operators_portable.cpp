// The transformer operators in plain C++: loops over a few lanes that any compiler turns into what
// vectors it has.
#include <bit>
#include <cmath>

#include "decoding/kernels/half.h"
#include "decoding/kernels/operator_templates.h"

namespace redraft::kernels {
namespace {

struct PlainLanes {
  static constexpr int kLanes = 8;
  struct Float {
    float lane[kLanes];
  };

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
  static Float load_half(const std::uint16_t* p) {
    return each([&](int i) { return half_to_float(p[i]); });
  }
  static void store_half(std::uint16_t* p, const Float& a) {
    for (int i = 0; i < kLanes; ++i) p[i] = float_to_half(a.lane[i]);
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
  // Two roundings: a fused one is a library call on processors without it.
  static Float fma(const Float& a, const Float& b, const Float& c) {
    return each([&](int i) { return a.lane[i] * b.lane[i] + c.lane[i]; });
  }
  // As the instructions: b where the two do not compare.
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
  static void transpose(const std::uint16_t* const* pointers, int dim, float* out) {
    for (int i = 0; i < kLanes; ++i) {
      for (int d = 0; d < dim; ++d) out[d * kLanes + i] = half_to_float(pointers[i][d]);
    }
  }
};

}  // namespace

const OperatorKernels& portable_operators() {
  static constexpr OperatorKernels kOperators = operators_of<PlainLanes>();
  return kOperators;
}

}  // namespace redraft::kernels
