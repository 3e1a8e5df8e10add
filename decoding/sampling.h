#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "support/result.h"
#include "support/token.h"

namespace redraft {

// How a token is chosen from the target's predictions. The default is greedy: the likeliest token.
// Otherwise token i of the output (from 0) is drawn from the target's own distribution, tempered
// and truncated as below, with a random number that is a function of seed and i alone. So the text
// for a seed is that of plain sampling with this seed, whatever is drafted (sampling.cpp says why),
// on one machine with one build of the C library.
struct SamplingOptions {
  // Divides the logits. 0: greedy, and the other options have no effect. At most kMaxTemperature.
  double temperature = 0;
  // Draws only from the likeliest tokens, up to the one with which their probabilities together
  // reach top_p: 0 (the likeliest alone) to 1 (all). Among equally likely tokens, lower ids come
  // first.
  double top_p = 1;
  std::uint64_t seed = 0;
  // Draws only from so many of the likeliest tokens; 0: from all. top_p then is a share of these.
  int top_k = 0;
  // Draws only from tokens that have at least this share of the likeliest token's probability, 0 to
  // 1.
  double min_p = 0;

  bool greedy() const { return temperature == 0; }
  bool draws_from_all() const { return top_p >= 1 && top_k == 0 && min_p <= 0; }
  bool operator==(const SamplingOptions&) const = default;
};
inline constexpr double kMaxTemperature = 2;
// The error names the value that is out of range, and the range.
Result<void> check(const SamplingOptions& options);

// The natural logarithm of a token's probability under the target's own distribution: at
// temperature 1, not truncated.
struct TokenLogProbability {
  TokenId token = 0;
  double log_probability = 0;
  bool operator==(const TokenLogProbability&) const = default;
};

// The log probability of one output token, and those of the likeliest tokens at its position. The
// whole output has the probability exp(sum of log_probability).
struct EmittedLogProbability {
  double log_probability = 0;
  // As many as requested, the likeliest first; among equally likely tokens, lower ids first.
  // Includes the emitted token only if it is that likely.
  std::vector<TokenLogProbability> likeliest;
  bool operator==(const EmittedLogProbability&) const = default;
};
// The maximum number of likeliest tokens a request may ask for.
inline constexpr int kMaxLikeliest = 20;

// The random number of token `index`, the same on every machine: one of the 2^53 equally likely
// multiples of 2^-53 in [0, 1).
double random_number(std::uint64_t seed, std::uint64_t index);

// The functions below are pure functions of a row of logits, in double precision and in a fixed
// order of summation, so that they do not depend on the rest of the pass. A logit that is NaN
// counts as minus infinity.

// The likeliest token; ties go to the lower id.
TokenId likeliest_token(std::span<const float> logits);
// The token that `number` in [0, 1) draws: in the order of ids, the first token at which the
// cumulative probability exceeds it. `weights` is scratch memory.
TokenId draw_token(std::span<const float> logits, const SamplingOptions& options, double number,
                   std::vector<double>& weights);
// The log probability of `token`, with the `count` likeliest tokens. NaN if the largest logit is
// not finite.
EmittedLogProbability log_probability_of(TokenId token, std::span<const float> logits, int count);

}  // namespace redraft
