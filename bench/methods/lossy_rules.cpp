#include "bench/methods/lossy_rules.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace redraft {
namespace {

class TopKRule : public LossyRule {
 public:
  explicit TopKRule(int k) : k_(k) {}

  PredictionNeeds needs() const override { return {.top_k = k_}; }

  bool accepts(TokenId token, int row, const Predictions& predictions) const override {
    // A small vocabulary has fewer than k candidates.
    const std::size_t width = predictions.top_ids.size() / predictions.argmax.size();
    const std::size_t begin = static_cast<std::size_t>(row) * width;
    const auto logits = std::span(predictions.top_logits).subspan(begin, width);
    const auto ids = std::span(predictions.top_ids).subspan(begin, candidates(logits));
    return std::ranges::find(ids, token) != ids.end();
  }

 protected:
  // How many of the best are accepted, by their logits.
  virtual std::size_t candidates(std::span<const float> top_logits) const {
    return top_logits.size();
  }

 private:
  int k_;
};

class EntropyRule : public TopKRule {
 public:
  EntropyRule(int k, Rounding rounding) : TopKRule(k), rounding_(rounding) {}

 protected:
  std::size_t candidates(std::span<const float> top_logits) const override {
    return static_cast<std::size_t>(entropy_threshold(
        normalised_entropy(top_logits), static_cast<int>(top_logits.size()), rounding_));
  }

 private:
  Rounding rounding_;
};

class DirectRule : public LossyRule {
 public:
  PredictionNeeds needs() const override { return {}; }
  bool accepts(TokenId, int, const Predictions&) const override { return true; }
};

}  // namespace

double normalised_entropy(std::span<const float> top_logits) {
  if (top_logits.size() < 2) return 0;
  const double best = *std::ranges::max_element(top_logits);
  double sum = 0;
  double weighted = 0;  // sum of e^x x
  for (const float logit : top_logits) {
    const double shifted = logit - best;
    const double weight = std::exp(shifted);
    sum += weight;
    if (weight > 0) weighted += weight * shifted;  // a logit of -infinity adds nothing
  }
  return (std::log(sum) - weighted / sum) / std::log(static_cast<double>(top_logits.size()));
}

int entropy_threshold(double entropy, int k, Rounding rounding) {
  const double scaled = k * entropy;
  // A row whose candidates cannot be ranked by entropy trusts its argmax alone.
  if (k <= 1 || !std::isfinite(scaled)) return 1;
  const double tau = rounding == Rounding::kDown ? std::floor(scaled) : std::ceil(scaled);
  return static_cast<int>(std::clamp(tau, 1.0, static_cast<double>(k)));
}

std::unique_ptr<const LossyRule> entropy_rule(int k, Rounding rounding) {
  return std::make_unique<EntropyRule>(k, rounding);
}

std::unique_ptr<const LossyRule> top_k_rule(int k) { return std::make_unique<TopKRule>(k); }

std::unique_ptr<const LossyRule> direct_rule() { return std::make_unique<DirectRule>(); }

}  // namespace redraft
