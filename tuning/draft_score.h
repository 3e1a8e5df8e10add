#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/language_model.h"
#include "tuning/trainable_model.h"

namespace redraft {

// A model's predictions at each token of a text but the first, given the tokens before it.
struct TextPredictions {
  std::vector<TokenId> choices;        // [tokens - first]: its first choice
  std::vector<float> log_probability;  // [tokens - first]: of the text's own token
};

// Predicts the tokens from position `first` >= 1 on. Runs the model on all tokens before them in
// one pass and on the others in chunks. Throws ModelFailure as forward() does.
TextPredictions predict_text(LanguageModel& model, std::span<const TokenId> tokens, int first);

// How well a draft model would perform in EfficientEdit's generate phase on texts that the target
// wrote.
struct DraftScore {
  TextLoss learnt;            // on the tokens that EoFT learns: the generate phases
  TextLoss all;               // on all tokens that the target wrote
  std::int64_t phases = 0;    // runs of learnt tokens
  std::int64_t passes = 0;    // passes of the target in the phases
  std::int64_t drafted = 0;   // drafted tokens
  std::int64_t accepted = 0;  // drafted tokens that are accepted
  std::int64_t emitted = 0;   // tokens of the phases

  DraftScore& operator+=(const DraftScore& other);
};

// A phase begins at the first token of a run of learnt ones and ends with it. In each pass the
// draft model writes `gamma` >= 1 tokens (fewer where the phase ends), the target accepts those
// that are its own greedy choices, and adds one. Accepted tokens are the text's tokens, so the
// draft model's output is its first choices on the text, and neither model has to run for it.
//
// `target` has the target's choice for each of the text's tokens from `first` on: the text itself
// if the target wrote it. `text` has all its learnt tokens from there on.
DraftScore score_draft(const TrainingText& text, int first, const TextPredictions& draft,
                       std::span<const TokenId> target, int gamma);

}  // namespace redraft
