#pragma once

#include <span>
#include <vector>

namespace redraft {

// How rotary positions are stretched beyond the context that a model was originally trained on.
struct RopeScaling {
  enum class Kind {
    kNone,
    kLinear,  // every frequency divided by the factor
    kLlama3,  // low frequencies divided, high ones kept, those between blended by wavelength
    kYarn,    // likewise, blended by dimension, and scores sharpened by the attention factor
  };
  Kind kind = Kind::kNone;
  double factor = 1;
  int original_context = 0;      // llama3, yarn: the context of the original training
  double low_frequency = 1;      // llama3: rotations within it below which a frequency is divided
  double high_frequency = 4;     // llama3: rotations within it above which a frequency is kept
  double slow_turns = 1;         // yarn ("beta_slow"): the same bounds, in rotations
  double fast_turns = 32;        // yarn ("beta_fast")
  bool round_dimensions = true;  // yarn ("truncate"): round the bounds to whole dimensions
  double attention_factor = 1;   // yarn: multiplies cosines and sines
};

// YaRN's attention factor for models that do not specify one; `scale` and `scale_all` are what some
// models call mscale and mscale_all_dim.
double yarn_attention_factor(double factor, double scale = 1, double scale_all = 0);

// Radians per position of each of the head_dim / 2 pairs. `divisors` is empty or has one number for
// each pair, from a file that brings its own table.
std::vector<double> rope_frequencies(int head_dim, double base, const RopeScaling& scaling,
                                     std::span<const float> divisors);

}  // namespace redraft
