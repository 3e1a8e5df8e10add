#include "tuning/draft_score.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace redraft {
namespace {

constexpr int kChunkRows = 128;

void add(TextLoss& loss, const TextPredictions& draft, std::size_t i, TokenId token) {
  loss.sum -= static_cast<double>(draft.log_probability[i]);
  loss.right += draft.choices[i] == token ? 1 : 0;
  ++loss.tokens;
}

// Tokens [begin, end) of one phase, counted from the first that was predicted.
void add_phase(DraftScore& score, std::span<const TokenId> draft, std::span<const TokenId> target,
               std::size_t begin, std::size_t end, int gamma) {
  ++score.phases;
  for (std::size_t at = begin; at < end;) {
    const std::size_t drafted = std::min(static_cast<std::size_t>(gamma), end - at);
    std::size_t accepted = 0;
    while (accepted < drafted && draft[at + accepted] == target[at + accepted]) ++accepted;
    const std::size_t emitted = std::min(accepted + 1, end - at);
    ++score.passes;
    score.drafted += static_cast<std::int64_t>(drafted);
    score.accepted += static_cast<std::int64_t>(accepted);
    score.emitted += static_cast<std::int64_t>(emitted);
    at += emitted;
  }
}

}  // namespace

TextPredictions predict_text(LanguageModel& model, std::span<const TokenId> tokens, int first) {
  assert(first >= 1 && first < static_cast<int>(tokens.size()));
  const std::unique_ptr<KvCache> cache = model.new_cache(static_cast<int>(tokens.size()));
  // The row before a token predicts it, and the last token's row is not needed.
  const std::size_t last = tokens.size() - 1;
  std::size_t at = static_cast<std::size_t>(first) - 1;
  if (at > 0) model.forward(tokens.first(at), DraftTree(), *cache, {.every_row = false});
  TextPredictions out;
  while (at < last) {
    const std::size_t rows = std::min<std::size_t>(kChunkRows, last - at);
    const DraftTree rest = DraftTree::chain(tokens.subspan(at + 1, rows - 1), DraftOrigin::kOther);
    const Predictions predicted = model.forward(tokens.subspan(at, 1), rest, *cache,
                                                {.scored = tokens.subspan(at + 1, rows)});
    std::vector<int> path(rows - 1);
    std::iota(path.begin(), path.end(), 0);
    cache->keep(path);
    out.choices.insert(out.choices.end(), predicted.argmax.begin(), predicted.argmax.end());
    out.log_probability.insert(out.log_probability.end(), predicted.log_probability.begin(),
                               predicted.log_probability.end());
    at += rows;
  }
  return out;
}

DraftScore& DraftScore::operator+=(const DraftScore& other) {
  learnt += other.learnt;
  all += other.all;
  phases += other.phases;
  passes += other.passes;
  drafted += other.drafted;
  accepted += other.accepted;
  emitted += other.emitted;
  return *this;
}

DraftScore score_draft(const TrainingText& text, int first, const TextPredictions& draft,
                       std::span<const TokenId> target, int gamma) {
  const auto from = static_cast<std::size_t>(first);
  assert(draft.choices.size() == text.tokens.size() - from &&
         target.size() == draft.choices.size());
  DraftScore score;
  for (std::size_t i = 0; i < target.size(); ++i) add(score.all, draft, i, text.tokens[from + i]);
  for (std::size_t i = 0; i < text.learnt.size();) {
    std::size_t end = i + 1;  // end of the run of consecutive positions
    while (end < text.learnt.size() && text.learnt[end] == text.learnt[end - 1] + 1) ++end;
    const auto begin = static_cast<std::size_t>(text.learnt[i]) - from;
    for (std::size_t j = 0; j < end - i; ++j)
      add(score.learnt, draft, begin + j, text.tokens[from + begin + j]);
    add_phase(score, draft.choices, target, begin, begin + (end - i), gamma);
    i = end;
  }
  return score;
}

}  // namespace redraft
