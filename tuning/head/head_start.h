#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/token.h"
#include "tuning/head/head_data.h"

namespace redraft {

// The layers that a head reads by default: a third and two thirds of the way up, and the last.
// `layers` >= 1.
std::vector<int> default_head_layers(int layers);

// The initial parameters of training, in the order of draft_head_tensors(): a head that at every
// place repeats the target's prediction for the newest token. Its input is the last layer with a
// little of the others; feed-forward layer and places add nothing yet; norms are 1, and the output
// norm and the rows of the vocabulary are the target's.
std::vector<float> initial_head(const DraftHeadShape& shape, const TargetRows& target,
                                std::span<const TokenId> vocabulary, std::uint64_t seed);

}  // namespace redraft
