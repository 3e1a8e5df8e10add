#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/step.h"
#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// The visible part of a completion at one threshold of the probability gate (ShownText), and how
// much of it matches what somebody wrote there.
struct Suggestion {
  double min_probability = 0;
  int shown = 0;       // characters; 0: nothing is shown
  int right = 0;       // how many of them, from the first on, match the reference
  bool whole = false;  // whether it is the whole reference

  bool all_right() const { return shown > 0 && right == shown; }
  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

// One decode at a place, shared by all thresholds: its output, the probability of each token, and
// whether it ended at the token limit (`cut_off`) or at a stop token (`stopped`).
struct PlaceOutput {
  std::span<const TokenId> tokens;
  std::span<const double> log_probabilities;
  bool cut_off = false;
  bool stopped = false;
};
std::vector<Suggestion> suggestions(const Tokenizer& tokenizer, const ServerEnd& end,
                                    const PlaceOutput& output, const std::string& reference,
                                    std::span<const double> thresholds);

}  // namespace redraft
