#pragma once

#include <cmath>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// How well a model predicts a text.
struct Perplexity {
  int tokens = 0;              // of the text
  int scored = 0;              // tokens with one before them in their window
  int windows = 0;             // a text longer than the context is scored in independent windows
  double log_probability = 0;  // natural, summed over the scored tokens
  double seconds = 0;
  bool interrupted = false;

  double value() const { return std::exp(-log_probability / scored); }
};

// The natural-log probability of each token but the first, given those before it: [tokens - 1], or
// fewer if it was stopped. There are at most as many tokens as the model's context. Blocking; runs
// in passes of a bounded size and checks `stop` before each. `on_pass` (may be empty) is called
// after each pass with what is known by then; other work may run within it.
std::vector<float> token_log_probabilities(
    LanguageModel& model, std::span<const TokenId> tokens,
    const std::function<void(std::span<const float>)>& on_pass, const std::stop_token& stop);

// Scores every token of `tokens` given those before it, in windows of at most `context` tokens and
// at most the model's context. Blocking; runs in passes of a bounded size and checks `stop` before
// each. `on_progress` (may be empty) is called after each pass with the result so far.
Perplexity measure_perplexity(LanguageModel& model, std::span<const TokenId> tokens, int context,
                              const std::function<void(const Perplexity&)>& on_progress,
                              const std::stop_token& stop);

}  // namespace redraft
