#pragma once

#include <optional>
#include <string>
#include <vector>

#include "decoding/model/transformer_shape.h"

namespace redraft {

// A shape with another setting of attention than the files state. Every tensor fits it as well.
struct SettingTrial {
  std::string change;  // as in "a window of 16 tokens"; empty: none
  TransformerShape shape;
  std::optional<float> sink = {};  // the score of every sink; nothing: those of the files
};

// First the shape as it is, then the trials that make sense for it: settings that files or loaders
// get wrong, and that no other check can see. A text shows each of them within `tokens` tokens.
std::vector<SettingTrial> setting_trials(const TransformerShape& shape, int tokens);

}  // namespace redraft
