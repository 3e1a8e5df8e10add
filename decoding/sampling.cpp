// Why a sampled output does not depend on the drafts either
//
// Greedy decoding writes argmax(row) for token i; sampling writes draw(row, u(seed, i)). Both are
// functions of the row that predicts the token, and of i. A row has the same bits whatever else is
// in its pass. The random number of token i is computed from the seed and i; it does not come from
// a stream that a rejected guess could advance. So verification stays the same: a draft token is
// accepted if it is what the model writes there, now by drawing. By induction over i the output is
// that of plain sampling with the seed, byte for byte.
//
// For the drafts that redraft makes, this is also speculative sampling (Leviathan et al., 2023, and
// Chen et al., 2023). A guess that was looked up, or is a draft model's likeliest token, is a
// proposal q with all its mass on one token x. Speculative sampling accepts x with probability
// min(1, p(x)/q(x)) = p(x), and otherwise draws from max(0, p - q), normalised: p without x.
// Drawing once from p and comparing with x does the same: the draw is x with probability p(x), and
// given that it is not x, it is distributed as p without x. If a row has several guesses, the draw
// decides between them at once.
#include "decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <string>

namespace redraft {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// The finaliser of SplitMix64 (Steele et al., 2014).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

std::string to_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

double value_of(float logit) { return std::isnan(logit) ? kNever : logit; }

// The ranking of tokens: whether logit `a` of token `i` comes before logit `b` of token `j`.
bool ranks_before(double a, std::size_t i, double b, std::size_t j) {
  return a != b ? a > b : i < j;
}

// Whether top-k excludes tokens of a vocabulary of this size.
bool is_limited(const SamplingOptions& options, std::size_t vocabulary) {
  return options.top_k > 0 && static_cast<std::size_t>(options.top_k) < vocabulary;
}

// The tokens that may be drawn, the likeliest first: the `top_k` likeliest, or those that top_p and
// min_p may keep. The weight of the likeliest token is 1.
std::vector<std::size_t> ranked_tokens(std::span<const float> logits,
                                       const SamplingOptions& options, double total,
                                       const std::vector<double>& weights) {
  const bool limited = is_limited(options, weights.size());
  // Only tokens of at least this weight need sorting: min_p excludes the others, or all of them
  // together have less than 1 - top_p. With top_k, top_p is a share of the likeliest tokens, which
  // are not known yet.
  const double floor = limited ? 0
                               : std::max(options.min_p, (1 - options.top_p) * total /
                                                             static_cast<double>(weights.size()));
  std::vector<std::size_t> ranked;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] >= floor && weights[i] > 0) ranked.push_back(i);
  }
  const auto order = [&](std::size_t i, std::size_t j) {
    return ranks_before(logits[i], i, logits[j], j);
  };
  if (limited && static_cast<std::size_t>(options.top_k) < ranked.size()) {
    const auto end = ranked.begin() + options.top_k;
    std::nth_element(ranked.begin(), end, ranked.end(), order);
    ranked.erase(end, ranked.end());
  }
  std::ranges::sort(ranked, order);
  return ranked;
}

// Keeps the weights of the tokens from which `options` draw, and zeroes the others. `total` is the
// sum of all weights. Returns the sum of the kept weights.
double cut(std::span<const float> logits, const SamplingOptions& options, double total,
           std::vector<double>& weights) {
  const std::vector<std::size_t> ranked = ranked_tokens(logits, options, total, weights);
  if (is_limited(options, weights.size())) {
    total = 0;
    for (const std::size_t i : ranked) total += weights[i];
  }
  double sum = 0;
  std::size_t kept = 0;
  do sum += weights[ranked[kept++]];
  while (kept < ranked.size() && sum < options.top_p * total &&
         weights[ranked[kept]] >= options.min_p);
  const std::size_t last = ranked[kept - 1];
  double left = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0 && ranks_before(logits[last], last, logits[i], i)) weights[i] = 0;
    left += weights[i];
  }
  return left;
}

}  // namespace

Result<void> check(const SamplingOptions& options) {
  if (!(options.temperature >= 0 && options.temperature <= kMaxTemperature)) {
    return Error("a temperature of " + to_text(options.temperature) +
                 " is out of range: choose 0 (greedy) to " + to_text(kMaxTemperature));
  }
  if (!(options.top_p >= 0 && options.top_p <= 1)) {
    return Error("a top-p of " + to_text(options.top_p) + " is out of range: choose 0 to 1");
  }
  if (options.top_k < 0) {
    return Error("a top-k of " + std::to_string(options.top_k) +
                 " is out of range: choose 0 (all tokens) or more");
  }
  if (!(options.min_p >= 0 && options.min_p <= 1)) {
    return Error("a min-p of " + to_text(options.min_p) + " is out of range: choose 0 to 1");
  }
  return {};
}

double random_number(std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15U;  // of SplitMix64's counter
  return static_cast<double>(mix(mix(seed) + (index + 1) * kStep) >> 11) * 0x1p-53;
}

TokenId likeliest_token(std::span<const float> logits) {
  std::size_t best = 0;
  double most = kNever;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] > most)) continue;
    most = logits[i];
    best = i;
  }
  return static_cast<TokenId>(best);
}

TokenId draw_token(std::span<const float> logits, const SamplingOptions& options, double number,
                   std::vector<double>& weights) {
  const TokenId best = likeliest_token(logits);
  const double most = value_of(logits[static_cast<std::size_t>(best)]);
  if (options.greedy() || !std::isfinite(most)) return best;
  weights.resize(logits.size());
  double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    weights[i] = std::exp((value_of(logits[i]) - most) / options.temperature);
    total += weights[i];
  }
  if (!options.draws_from_all()) total = cut(logits, options, total, weights);
  const double goal = number * total;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    if (sum > goal) return static_cast<TokenId>(i);
  }
  return best;  // unreachable: number < 1, so the goal is below the same sum
}

EmittedLogProbability log_probability_of(TokenId token, std::span<const float> logits, int count) {
  const double most = value_of(logits[static_cast<std::size_t>(likeliest_token(logits))]);
  std::vector<std::size_t> ranked;  // the likeliest tokens so far, the likeliest first
  const auto wanted = std::min(static_cast<std::size_t>(count), logits.size());
  double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double value = value_of(logits[i]);
    total += std::exp(value - most);
    if (ranked.size() == wanted && (wanted == 0 || value <= value_of(logits[ranked.back()])))
      continue;
    if (ranked.size() == wanted) ranked.pop_back();
    const auto place = std::ranges::find_if(
        ranked, [&](std::size_t other) { return value > value_of(logits[other]); });
    ranked.insert(place, i);
  }
  const double log_total = std::log(total);
  const auto log_of = [&](std::size_t i) { return value_of(logits[i]) - most - log_total; };
  EmittedLogProbability found{.log_probability = log_of(static_cast<std::size_t>(token)),
                              .likeliest = {}};
  for (const std::size_t i : ranked)
    found.likeliest.push_back({static_cast<TokenId>(i), log_of(i)});
  return found;
}

}  // namespace redraft
