#include "tuning/head/head_training.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "support/seconds_since.h"

namespace redraft {
namespace {

constexpr std::size_t kScoredRows = 256;  // rows per batch
constexpr int kOptimiserGrain = 1 << 16;  // parameters per thread's piece of work

std::int64_t right_places(const HeadLoss& loss) {
  return std::count(loss.right.begin(), loss.right.end(), 1);
}

std::int64_t learnt_places(const HeadBatch& batch) {
  return std::ranges::count_if(batch.answers, [](std::int32_t answer) { return answer >= 0; });
}

void add_row(HeadScore& score, const RowLabels& labels, std::span<const std::uint8_t> right) {
  for (int place = 0; place < labels.count; ++place) {
    const auto at = static_cast<std::size_t>(place);
    ++score.places[at].asked;
    score.places[at].right += right[at];
  }
  if (labels.count < static_cast<int>(right.size())) return;
  ++score.whole_rows;
  score.accepted += std::ranges::find(right, 0) - right.begin();
}

}  // namespace

double HeadScore::accuracy(std::size_t place) const {
  const Place& of = places[place];
  return static_cast<double>(of.right) / static_cast<double>(std::max<std::int64_t>(1, of.asked));
}

double HeadScore::acceptance_length() const {
  return 1 +
         static_cast<double>(accepted) / static_cast<double>(std::max<std::int64_t>(1, whole_rows));
}

Result<HeadScore> score_head(TrainableHead& head, const HeadData& data,
                             std::span<const std::size_t> rows) {
  const auto tokens = static_cast<std::size_t>(data.rows().shape().tokens);
  HeadScore score;
  score.places.resize(tokens);
  double sum = 0;
  double weight = 0;
  for (std::size_t first = 0; first < rows.size(); first += kScoredRows) {
    const auto part = rows.subspan(first, std::min(kScoredRows, rows.size() - first));
    const Result<HeadBatch> batch = data.batch(part);
    if (!batch) return batch.error();
    const HeadLoss loss = head.loss(*batch);
    sum += loss.sum;
    weight += loss.weight;
    for (std::size_t i = 0; i < part.size(); ++i)
      add_row(score, data.rows().labels(part[i]),
              std::span(loss.right).subspan(i * tokens, tokens));
  }
  score.loss = weight > 0 ? sum / weight : 0;
  return score;
}

HeadTraining::HeadTraining(TrainableHead& head, const HeadData& data, std::vector<std::size_t> rows,
                           HeldOutRows held_out, const TrainingPlan& plan,
                           const TrainingOptions& options, ThreadPool& pool)
    : head_(head),
      data_(data),
      rows_(std::move(rows)),
      held_out_(std::move(held_out)),
      plan_(plan),
      options_(options),
      pool_(pool) {
  assert(static_cast<int>(rows_.size()) == plan.examples && plan.steps >= 1);
  const std::size_t size = head_.parameters().size();
  state_.moments = {std::vector<float>(size), std::vector<float>(size)};
  std::ranges::fill(head_.gradients(), 0.0F);
}

Result<void> HeadTraining::resume(TrainingState state) {
  if (static_cast<int>(state.steps.size()) > plan_.steps || state.place != 0)
    return Error("the checkpoint is beyond the end of the run");
  assert(state.parameters.size() == head_.parameters().size());
  std::ranges::copy(state.parameters, head_.parameters().begin());
  std::ranges::fill(head_.gradients(), 0.0F);
  state_ = std::move(state);
  best_.clear();
  return {};
}

const TrainingState& HeadTraining::state() {
  state_.parameters.assign(head_.parameters().begin(), head_.parameters().end());
  state_.gradients.assign(head_.gradients().begin(), head_.gradients().end());
  return state_;
}

// The gradients of the mean loss of that step's batch.
Result<HeadLoss> HeadTraining::add_batch(int step) {
  const int epoch = step / plan_.steps_per_epoch();
  if (epoch != epoch_) order_ = plan_.order_of(epoch);
  epoch_ = epoch;
  const auto first = static_cast<std::size_t>(step % plan_.steps_per_epoch()) *
                     static_cast<std::size_t>(plan_.batch);
  const std::size_t last = std::min(first + static_cast<std::size_t>(plan_.batch), order_.size());
  std::vector<std::size_t> chosen;
  for (std::size_t i = first; i < last; ++i) chosen.push_back(rows_[order_[i]]);
  const Result<HeadBatch> batch = data_.batch(chosen);
  if (!batch) return batch.error();
  double weight = 0;
  const int tokens = data_.rows().shape().tokens;
  for (std::size_t i = 0; i < batch->answers.size(); ++i)
    if (batch->answers[i] >= 0) weight += place_weight(static_cast<int>(i) % tokens);
  HeadLoss loss = head_.add_gradients(*batch, static_cast<float>(1 / weight));
  state_.batch = {loss.sum / loss.weight, right_places(loss), learnt_places(*batch)};
  return loss;
}

// Clips, applies and clears the gradients. Returns their length.
double HeadTraining::finish_gradients(double rate, int step) {
  const double limit = options_.max_length > 0 ? options_.max_length : INFINITY;
  const double length = clip_length(limit, head_.gradients());
  if (!std::isfinite(length)) return length;
  const std::span<float> gradients = head_.gradients();
  const std::span<float> parameters = head_.parameters();
  // Numbers are independent, so the division of the work changes nothing.
  const auto size = static_cast<int>(parameters.size());
  pool_.parallel_for(size, kOptimiserGrain, [&](int begin, int end) {
    const auto at = static_cast<std::size_t>(begin);
    const auto count = static_cast<std::size_t>(end - begin);
    adam_w_step(options_.optimiser, rate, step, gradients.subspan(at, count),
                std::span(state_.moments.mean).subspan(at, count),
                std::span(state_.moments.square).subspan(at, count), parameters.subspan(at, count));
    std::ranges::fill(gradients.subspan(at, count), 0.0F);
  });
  return length;
}

std::optional<std::size_t> HeadTraining::best_step() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < state_.steps.size(); ++i) {
    const std::vector<double>& more = state_.steps[i].more;
    if (!more.empty() && (!best || more.front() > state_.steps[*best].more.front())) best = i;
  }
  return best;
}

// Measures the held-out rows after the last step; keeps the parameters if they are the best.
Result<void> HeadTraining::measure(StepRecord& record) {
  const Result<HeadScore> score = score_head(head_, *held_out_.data, held_out_.rows);
  if (!score) return score.error();
  record.held_out = score->loss;
  record.more.push_back(score->acceptance_length());
  for (std::size_t place = 0; place < score->places.size(); ++place)
    record.more.push_back(score->accuracy(place));
  const std::optional<std::size_t> best = best_step();
  if (!best || record.more.front() > state_.steps[*best].more.front())
    best_.assign(head_.parameters().begin(), head_.parameters().end());
  return {};
}

Result<void> HeadTraining::one_step() {
  const int step = steps_done();
  const auto start = std::chrono::steady_clock::now();
  if (const Result<HeadLoss> added = add_batch(step); !added) return added.error();
  StepRecord record{.loss = state_.batch.sum,
                    .accuracy = static_cast<double>(state_.batch.right) /
                                static_cast<double>(state_.batch.tokens),
                    .rate = plan_.rate_of(step),
                    .tokens = state_.batch.tokens,
                    .held_out = {}};
  record.length = finish_gradients(record.rate, step + 1);
  if (!std::isfinite(record.loss) || !std::isfinite(record.length)) {
    return Error("step " + std::to_string(step + 1) +
                 ": the loss is no longer finite; try a lower learning rate");
  }
  record.seconds = seconds_since(start);
  const bool last = step + 1 == plan_.steps;
  if (!held_out_.rows.empty() && (last || (step + 1) % options_.evaluate_every == 0)) {
    if (Result<void> measured = measure(record); !measured) return measured;
  }
  state_.steps.push_back(std::move(record));
  state_.batch = {};
  return {};
}

Result<void> HeadTraining::run(const Watch& watch) {
  while (!finished() && !watch.stop.stop_requested()) {
    if (Result<void> done = one_step(); !done) return done;
    if (watch.on_step) {
      if (Result<void> seen = watch.on_step(); !seen) return seen;
    }
  }
  return {};
}

Result<double> HeadTraining::seconds_of_step() {
  double seconds = 0;
  for (int i = 0; i < 2; ++i) {  // the first run also loads code and memory
    const auto start = std::chrono::steady_clock::now();
    if (const Result<HeadLoss> added = add_batch(0); !added) return added.error();
    std::ranges::fill(head_.gradients(), 0.0F);
    if (state_.steps.empty()) finish_gradients(0, 1);  // moments stay zero, so nothing changes
    seconds = seconds_since(start);
  }
  state_.batch = {};
  return seconds;
}

Result<double> HeadTraining::seconds_of_look() {
  if (held_out_.rows.empty()) return 0.0;
  const auto start = std::chrono::steady_clock::now();
  if (const Result<HeadScore> score = score_head(head_, *held_out_.data, held_out_.rows); !score)
    return score.error();
  return seconds_since(start);
}

}  // namespace redraft
