#pragma once

#include <memory>
#include <span>

#include "decoding/acceptance.h"

namespace redraft {

// The lossy rules of acceptance of EfficientEdit (section III.B and table III).

// Equation 9: the entropy of a row's best candidates, renormalised among themselves, as a share of
// its largest possible value, log k: 0 (certain) to 1 (undecided). Summed in double in the order
// given. 0 for fewer than two candidates; NaN if a logit is NaN or +infinity.
double normalised_entropy(std::span<const float> top_logits);

// How equation 10 rounds: up, as in the paper, or down, as in the authors' code.
enum class Rounding { kUp, kDown };

// Equation 10: how many of a row's k best candidates the entropy-aware rule accepts:
// max(1, ceil(k * H)). 1 if the entropy is not a number.
int entropy_threshold(double entropy, int k, Rounding rounding);

// Accepts the best few of k candidates; how few depends on the entropy among them.
std::unique_ptr<const LossyRule> entropy_rule(int k, Rounding rounding);
// Accepts any of the k best candidates.
std::unique_ptr<const LossyRule> top_k_rule(int k);
// Accepts every draft token.
std::unique_ptr<const LossyRule> direct_rule();

}  // namespace redraft
