#include "bench/replay_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace redraft {
namespace {

// A well mixed number for each position, the same on every machine.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

constexpr float kCertain = 0.9F;  // the probability that is reported for the token that is written

}  // namespace

ReplayModel::ReplayModel(std::string name, int vocabulary, int context_length, int agreement)
    : name_(std::move(name)),
      vocabulary_(vocabulary),
      context_length_(context_length),
      agreement_(agreement) {}

std::unique_ptr<KvCache> ReplayModel::new_cache(int capacity) const {
  return std::make_unique<KvCache>(capacity, nullptr);
}

Predictions ReplayModel::forward(std::span<const TokenId> context, const DraftTree& draft,
                                 KvCache& cache, const PredictionNeeds& needs) {
  const int length = cache.length() + static_cast<int>(context.size());
  const int rows = static_cast<int>(context.size()) + draft.size();
  seconds_ += share_ * curve_.seconds(rows, cache.length());
  Predictions predictions;
  predict(length, needs, predictions);
  // Parents come before their children, so one sweep gives all depths.
  std::vector<int> depths(draft.size());
  for (int node = 0; node < draft.size(); ++node) {
    const int parent = draft.parents()[node];
    depths[node] = parent < 0 ? 1 : depths[parent] + 1;
    predict(length + depths[node], needs, predictions);
  }
  cache.append(context, draft);
  return predictions;
}

Acceptance ReplayModel::verify(std::span<const TokenId> context, const DraftTree& draft,
                               KvCache& cache, const std::function<void()>& meanwhile,
                               Predictions& predictions) {
  if (on_device_ && meanwhile) meanwhile();
  return LanguageModel::verify(context, draft, cache, meanwhile, predictions);
}

TokenId ReplayModel::next(int sequence_length) const {
  if (!script_ || sequence_length < script_->prompt_size) return 0;  // never used
  const auto written = static_cast<std::size_t>(sequence_length - script_->prompt_size);
  const TokenId right = written < script_->text.size() ? script_->text[written] : script_->stop;
  const std::uint64_t hash = mixed(written);
  if (static_cast<int>(hash % 100) < agreement_) return right;
  return static_cast<TokenId>((right + 1 + hash / 100 % 97) % vocabulary_);
}

void ReplayModel::predict(int sequence_length, const PredictionNeeds& needs,
                          Predictions& predictions) const {
  const TokenId best = next(sequence_length);
  if (!needs.scored.empty()) {
    const TokenId scored = needs.scored[predictions.argmax.size()];
    const float others = (1 - kCertain) / static_cast<float>(std::max(1, vocabulary_ - 1));
    predictions.log_probability.push_back(std::log(scored == best ? kCertain : others));
  }
  predictions.argmax.push_back(best);
  if (needs.top_k == 0) return;
  std::vector<float> logits;
  for (int rank = 0; rank < needs.top_k; ++rank) {
    predictions.top_ids.push_back((best + rank) % vocabulary_);
    logits.push_back(rank == 0 ? 20.0F : -static_cast<float>(rank));
  }
  predictions.top_logits.insert(predictions.top_logits.end(), logits.begin(), logits.end());
}

}  // namespace redraft
