#pragma once

#include <array>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// The difference between the logits of the best and the second best token: the upper ends of the
// histogram's classes, the last of which is open-ended.
inline constexpr std::array kMarginEnds = {0.001, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0};
inline constexpr int kMarginClasses = static_cast<int>(kMarginEnds.size()) + 1;

// Counts [kMarginClasses] of the margins at each token of `output` after `prompt`. Runs the model
// over both, in chunks, on a separate cache; both must fit in its context. Empty if stopped.
std::vector<int> margin_histogram(LanguageModel& model, std::span<const TokenId> prompt,
                                  std::span<const TokenId> output, const std::stop_token& stop);

}  // namespace redraft
