#include "tuning/training.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "support/seconds_since.h"

namespace redraft {

Training::Training(TrainableModel& model, std::vector<TrainingText> texts,
                   std::vector<TrainingText> held_out, const TrainingPlan& plan,
                   const TrainingOptions& options)
    : model_(model),
      texts_(std::move(texts)),
      held_out_(std::move(held_out)),
      plan_(plan),
      options_(options),
      tokens_before_{0} {
  assert(static_cast<int>(texts_.size()) == plan.examples && plan.steps >= 1);
  for (int step = 0; step < plan_.steps; ++step) {
    double tokens = tokens_before_.back();
    for (const std::size_t i : plan_.batch_of(step))
      tokens += static_cast<double>(texts_[i].tokens.size());
    tokens_before_.push_back(tokens);
  }
  const std::size_t size = model_.parameters().size();
  state_.moments = {std::vector<float>(size), std::vector<float>(size)};
  std::fill(model_.gradients().begin(), model_.gradients().end(), 0.0F);
}

Result<void> Training::resume(TrainingState state) {
  const auto steps = static_cast<int>(state.steps.size());
  const bool inside =
      steps < plan_.steps && state.place <= static_cast<int>(plan_.batch_of(steps).size());
  if (steps > plan_.steps || (!inside && state.place != 0))
    return Error("the checkpoint is beyond the end of the run");
  assert(state.parameters.size() == model_.parameters().size());
  std::copy(state.parameters.begin(), state.parameters.end(), model_.parameters().begin());
  std::copy(state.gradients.begin(), state.gradients.end(), model_.gradients().begin());
  state_ = std::move(state);
  return {};
}

const TrainingState& Training::state() {
  state_.parameters.assign(model_.parameters().begin(), model_.parameters().end());
  state_.gradients.assign(model_.gradients().begin(), model_.gradients().end());
  return state_;
}

double Training::tokens_done() const {
  const int step = steps_done();
  double tokens = tokens_before_[static_cast<std::size_t>(step)];
  if (state_.place == 0) return tokens;
  const std::vector<std::size_t> batch = plan_.batch_of(step);
  for (int i = 0; i < state_.place; ++i)
    tokens += static_cast<double>(texts_[batch[static_cast<std::size_t>(i)]].tokens.size());
  return tokens;
}

Result<void> Training::run(const Watch& watch) {
  while (!finished()) {
    const int step = steps_done();
    const std::vector<std::size_t> batch = plan_.batch_of(step);
    double learnt = 0;
    for (const std::size_t i : batch) learnt += static_cast<double>(texts_[i].learnt.size());
    while (state_.place < static_cast<int>(batch.size())) {
      if (watch.stop.stop_requested()) return {};
      const auto start = std::chrono::steady_clock::now();
      const TrainingText& text = texts_[batch[static_cast<std::size_t>(state_.place)]];
      state_.batch += model_.add_gradients(text, static_cast<float>(1 / learnt),
                                           plan_.dropout_seed(step, state_.place));
      ++state_.place;
      state_.seconds += seconds_since(start);
      if (watch.on_example) watch.on_example();
    }
    if (Result<void> finished = finish_step(); !finished) return finished;
    if (watch.on_step) {
      if (Result<void> seen = watch.on_step(); !seen) return seen;
    }
  }
  return {};
}

Result<void> Training::finish_step() {
  const int step = steps_done();
  const auto tokens = static_cast<double>(state_.batch.tokens);
  StepRecord record{.loss = state_.batch.sum / tokens,
                    .accuracy = static_cast<double>(state_.batch.right) / tokens,
                    .rate = plan_.rate_of(step),
                    .tokens = state_.batch.tokens,
                    .seconds = state_.seconds,
                    .held_out = {}};
  const double limit = options_.max_length > 0 ? options_.max_length : INFINITY;
  record.length = clip_length(limit, model_.gradients());
  if (!std::isfinite(record.loss) || !std::isfinite(record.length)) {
    return Error("step " + std::to_string(step + 1) +
                 ": the loss is no longer finite; try a lower learning rate");
  }
  adam_w_step(options_.optimiser, record.rate, step + 1, model_.gradients(), state_.moments,
              model_.parameters());
  std::fill(model_.gradients().begin(), model_.gradients().end(), 0.0F);
  const bool last = step + 1 == plan_.steps;
  if (!held_out_.empty() && (last || (step + 1) % options_.evaluate_every == 0)) {
    const TextLoss held_out = held_out_loss();
    record.held_out = held_out.sum / static_cast<double>(held_out.tokens);
  }
  state_.steps.push_back(record);
  state_.place = 0;
  state_.batch = {};
  state_.seconds = 0;
  return {};
}

TextLoss Training::held_out_loss() {
  TextLoss sum;
  for (const TrainingText& text : held_out_) sum += model_.loss(text);
  return sum;
}

}  // namespace redraft
