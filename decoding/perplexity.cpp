#include "decoding/perplexity.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "decoding/chunk_sizer.h"
#include "decoding/draft_tree.h"
#include "decoding/kv_cache.h"
#include "support/seconds_since.h"

namespace redraft {
namespace {

// The log-probabilities of `next`, each after its token of `chunk`. A pass predicts after the last
// context token and after every draft node, so all of the chunk but its first token goes in as a
// draft, which is then kept.
std::vector<float> score_chunk(LanguageModel& model, std::span<const TokenId> chunk,
                               std::span<const TokenId> next, KvCache& cache) {
  const DraftTree draft = DraftTree::chain(chunk.subspan(1), DraftOrigin::kOther);
  PredictionNeeds needs;
  needs.scored = next;
  Predictions predictions = model.forward(chunk.first(1), draft, cache, needs);
  std::vector<int> path(chunk.size() - 1);
  std::iota(path.begin(), path.end(), 0);
  cache.keep(path);
  return std::move(predictions.log_probability);
}

// token_log_probabilities() with chunks of a size that the caller keeps from text to text.
std::vector<float> score(LanguageModel& model, std::span<const TokenId> tokens, ChunkSizer& chunks,
                         const std::function<void(std::span<const float>)>& on_pass,
                         const std::stop_token& stop) {
  std::vector<float> scores;
  if (tokens.size() < 2) return scores;
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(tokens.size()));
  const std::size_t last = tokens.size() - 1;
  while (scores.size() < last && !stop.stop_requested()) {
    const std::size_t begin = scores.size();
    const std::size_t count = std::min(static_cast<std::size_t>(chunks.rows()), last - begin);
    const auto pass_start = std::chrono::steady_clock::now();
    const std::vector<float> chunk =
        score_chunk(model, tokens.subspan(begin, count), tokens.subspan(begin + 1, count), *cache);
    chunks.measured(static_cast<int>(count), seconds_since(pass_start));
    scores.insert(scores.end(), chunk.begin(), chunk.end());
    if (on_pass) on_pass(scores);
  }
  return scores;
}

}  // namespace

std::vector<float> token_log_probabilities(
    LanguageModel& model, std::span<const TokenId> tokens,
    const std::function<void(std::span<const float>)>& on_pass, const std::stop_token& stop) {
  ChunkSizer chunks;
  return score(model, tokens, chunks, on_pass, stop);
}

Perplexity measure_perplexity(LanguageModel& model, std::span<const TokenId> tokens, int context,
                              const std::function<void(const Perplexity&)>& on_progress,
                              const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  const auto window_size = static_cast<std::size_t>(std::min(context, model.context_length()));
  ChunkSizer chunks;
  Perplexity result;
  result.tokens = static_cast<int>(tokens.size());
  for (std::size_t at = 0; at + 1 < tokens.size(); at += window_size) {
    const auto window = tokens.subspan(at, std::min(window_size, tokens.size() - at));
    if (window.size() < 2) break;
    const auto add = [&, known = std::size_t{0}](std::span<const float> scores) mutable {
      for (const float each : scores.subspan(known)) result.log_probability += each;
      result.scored += static_cast<int>(scores.size() - known);
      known = scores.size();
      result.seconds = seconds_since(start);
      if (on_progress) on_progress(result);
    };
    const std::vector<float> scores = score(model, window, chunks, add, stop);
    if (scores.size() + 1 < window.size()) {
      result.interrupted = true;
      return result;
    }
    ++result.windows;
  }
  return result;
}

}  // namespace redraft
