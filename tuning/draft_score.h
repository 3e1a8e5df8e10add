#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/language_model.h"
#include "tuning/trainable_model.h"

namespace redraft {

// What a model says at each token of a text but the first, given those before it.
struct TextPredictions {
  std::vector<TokenId> choices;        // [tokens - first]: its first choice
  std::vector<float> log_probability;  // [tokens - first]: of the text's token
};

// Of the tokens from position `first` >= 1 on. Runs the model on all before them in one go and on
// the others in chunks. Throws ModelFailure as forward() does.
TextPredictions predict_text(LanguageModel& model, std::span<const TokenId> tokens, int first);

// How well a draft model would do in EfficientEdit's generate phase on texts that the target wrote.
struct DraftScore {
  TextLoss learnt;            // of what EoFT learns: the generate phases
  TextLoss all;               // of all that the target wrote
  std::int64_t phases = 0;    // runs of learnt tokens
  std::int64_t passes = 0;    // of the target in them
  std::int64_t drafted = 0;   // tokens
  std::int64_t accepted = 0;  // of these
  std::int64_t emitted = 0;   // tokens of the phases

  DraftScore& operator+=(const DraftScore& other);
};

// A phase begins at the first token of a run of learnt ones and ends with it. In each pass the
// draft model writes `gamma` >= 1 tokens (fewer where the phase ends), the target accepts those
// that are its own greedy choices, and adds one. As accepted tokens are the text's, what the draft
// model writes is its first choices on the text, and no pass of either model has to be run for it.
//
// `target` has, for each of the text's tokens from `first` on, the target's choice: the text itself
// if the target wrote it. `text` has all its learnt tokens from there on.
DraftScore score_draft(const TrainingText& text, int first, const TextPredictions& draft,
                       std::span<const TokenId> target, int gamma);

}  // namespace redraft
