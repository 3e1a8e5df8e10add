#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/result.h"
#include "support/token.h"

namespace redraft {

// How a token is chosen from what the target predicts. The default is greedy: the likeliest token.
// Otherwise token i of the output (from 0) is drawn from the target's own distribution, tempered
// and cut as below, with a random number that is a function of seed and i alone. So the text for a
// seed is that of plain sampling with this seed, whatever is drafted (sampling.cpp says why), on
// one machine with one build of the C library.
struct SamplingOptions {
  // The logits are divided by it. 0: greedy, and the rest is without effect. At most
  // kMaxTemperature.
  double temperature = 0;
  // Drawn from are the likeliest tokens, of equally likely ones those of lower id first, up to the
  // one with which their probabilities together reach this: 0 (the likeliest alone) to 1 (all).
  double top_p = 1;
  std::uint64_t seed = 0;

  bool greedy() const { return temperature == 0; }
  bool operator==(const SamplingOptions&) const = default;
};
inline constexpr double kMaxTemperature = 2;
// The error names the value that is out of its range, and the range.
Result<void> check(const SamplingOptions& options);

// The natural logarithm of a token's probability under the target's own distribution: that of
// temperature 1, of which nothing is cut.
struct TokenLogProbability {
  TokenId token = 0;
  double log_probability = 0;
  bool operator==(const TokenLogProbability&) const = default;
};

// Of one token of the output, and of the tokens that the target thought likeliest in its place.
// That the whole output is written has the probability exp(sum of log_probability).
struct EmittedLogProbability {
  double log_probability = 0;
  // As many as were requested, the likeliest first, of equally likely ones that of lower id; the
  // token itself is among them only if it is that likely.
  std::vector<TokenLogProbability> likeliest;
  bool operator==(const EmittedLogProbability&) const = default;
};
// How many likeliest tokens a request may ask for.
inline constexpr int kMaxLikeliest = 20;

// The random number of token `index`, the same on every machine: one of the 2^53 equally likely
// multiples of 2^-53 in [0, 1).
double random_number(std::uint64_t seed, std::uint64_t index);

// What follow are pure functions of a row of logits, in double precision and in a fixed order of
// summation, so that they do not depend on what else was in the pass. A logit that is NaN counts as
// minus infinity.

// The likeliest token; ties go to the lower id.
TokenId likeliest_token(std::span<const float> logits);
// The token that `number` of [0, 1) draws: in the order of their ids, the first one with which the
// probabilities together exceed it. `weights` is scratch memory.
TokenId draw_token(std::span<const float> logits, const SamplingOptions& options, double number,
                   std::vector<double>& weights);
// Of `token`, with the `count` likeliest ones. NaN if the largest logit is not finite.
EmittedLogProbability log_probability_of(TokenId token, std::span<const float> logits, int count);

}  // namespace redraft
