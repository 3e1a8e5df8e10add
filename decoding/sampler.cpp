#include "decoding/sampler.h"

#include <cassert>
#include <cstddef>

namespace redraft {

void Sampler::begin_pass(const DraftTree& draft, int index) {
  draft_ = &draft;
  rows_.assign(static_cast<std::size_t>(draft.size()) + 1, Row());
  rows_[0].index = index;
  for (std::size_t row = 1; row < rows_.size(); ++row) {
    const auto before = static_cast<std::size_t>(draft.parents()[row - 1] + 1);
    rows_[row].index = rows_[before].index + 1;
  }
}

void Sampler::read(int row, std::span<const float> logits) {
  const auto at = static_cast<std::size_t>(row);
  assert(at < rows_.size());
  if (row > 0) {
    const auto before = static_cast<std::size_t>(draft_->parents()[at - 1] + 1);
    if (rows_[before].drawn != draft_->tokens()[at - 1]) return;
  }
  Row& of = rows_[at];
  const double number = random_number(options_.seed, static_cast<std::uint64_t>(of.index));
  of.drawn = draw_token(logits, options_, number, weights_);
  if (log_probabilities_)
    of.how_likely = log_probability_of(*of.drawn, logits, *log_probabilities_);
}

void Sampler::choose(Predictions& predictions) const {
  assert(predictions.argmax.size() == rows_.size());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].drawn) predictions.argmax[row] = *rows_[row].drawn;
  }
}

const EmittedLogProbability* Sampler::log_probability(int row) const {
  return log_probabilities_ ? &rows_[static_cast<std::size_t>(row)].how_likely : nullptr;
}

}  // namespace redraft
