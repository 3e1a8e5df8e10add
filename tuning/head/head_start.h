#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/token.h"
#include "tuning/head/head_data.h"

namespace redraft {

// The layers that a head reads unless it is told others: a third and two thirds of the way up, and
// the last. `layers` >= 1.
std::vector<int> default_head_layers(int layers);

// What training starts from, in the order of draft_head_tensors(): a head that says at every place
// what the target said of the newest token. Its input is what it sees of the last layer, with a
// little of the rest; feed-forward layer and places add nothing yet; norms are 1, and the output
// norm and the rows of the vocabulary are the target's.
std::vector<float> initial_head(const DraftHeadShape& shape, const TargetRows& target,
                                std::span<const TokenId> vocabulary, std::uint64_t seed);

}  // namespace redraft
