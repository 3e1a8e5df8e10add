#include "decoding/model/rope_scaling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace redraft {

namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;

// A frequency with many rotations within the original context is kept, one with few is divided.
double llama3_frequency(double frequency, const RopeScaling& scaling) {
  const double turns = scaling.original_context * frequency / kFullTurn;
  const double kept =
      (turns - scaling.low_frequency) / (scaling.high_frequency - scaling.low_frequency);
  const double share = std::clamp(kept, 0.0, 1.0);
  return share * frequency + (1 - share) * frequency / scaling.factor;
}

// The dimension whose pair makes this many rotations within the original context.
double dimension_of(double turns, int head_dim, double base, int context) {
  return head_dim * std::log(context / (turns * kFullTurn)) / (2 * std::log(base));
}

// Pairs below `first` are kept, those above `last` divided, with a linear ramp between.
struct YarnRamp {
  double first;
  double last;
};

YarnRamp yarn_ramp(int head_dim, double base, const RopeScaling& scaling) {
  YarnRamp ramp{dimension_of(scaling.fast_turns, head_dim, base, scaling.original_context),
                dimension_of(scaling.slow_turns, head_dim, base, scaling.original_context)};
  if (scaling.round_dimensions) ramp = {std::floor(ramp.first), std::ceil(ramp.last)};
  ramp = {std::max(ramp.first, 0.0), std::min(ramp.last, head_dim - 1.0)};
  constexpr double kMinWidth = 0.001;  // a step rather than a division by zero
  ramp.last = std::max(ramp.last, ramp.first + kMinWidth);
  return ramp;
}

}  // namespace

double yarn_attention_factor(double factor, double scale, double scale_all) {
  if (factor <= 1) return 1;
  const auto sharpened = [&](double by) { return 0.1 * by * std::log(factor) + 1; };
  return sharpened(scale) / sharpened(scale_all);
}

std::vector<double> rope_frequencies(int head_dim, double base, const RopeScaling& scaling,
                                     std::span<const float> divisors) {
  std::vector<double> out(static_cast<std::size_t>(head_dim / 2));
  const YarnRamp ramp = scaling.kind == RopeScaling::Kind::kYarn
                            ? yarn_ramp(head_dim, base, scaling)
                            : YarnRamp{0, 1};
  for (std::size_t i = 0; i < out.size(); ++i) {
    double frequency = std::pow(base, -2.0 * static_cast<double>(i) / head_dim);
    if (!divisors.empty()) frequency /= divisors[i];
    switch (scaling.kind) {
      case RopeScaling::Kind::kNone:
        break;
      case RopeScaling::Kind::kLinear:
        frequency /= scaling.factor;
        break;
      case RopeScaling::Kind::kLlama3:
        frequency = llama3_frequency(frequency, scaling);
        break;
      case RopeScaling::Kind::kYarn: {
        const double at = (static_cast<double>(i) - ramp.first) / (ramp.last - ramp.first);
        const double divided = std::clamp(at, 0.0, 1.0);
        frequency = divided * frequency / scaling.factor + (1 - divided) * frequency;
        break;
      }
    }
    out[i] = frequency;
  }
  return out;
}

}  // namespace redraft
