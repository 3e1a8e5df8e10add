#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/kv_cache.h"
#include "decoding/language_model.h"
#include "decoding/model_powers.h"
#include "support/token.h"

namespace redraft {

// The performance of `selfspec` if it skips a set of sublayers.
struct SkipScore {
  double share = 1;  // of the weights that a draft step reads
  int drafts = 0;    // one per pass
  int drafted = 0;   // tokens
  int accepted = 0;  // accepted tokens
  double seconds = 0;
  double plain_seconds = 0;  // for the same tokens

  int tokens() const { return accepted + drafts; }
  double speedup() const { return seconds > 0 ? plain_seconds / seconds : 0; }
  double accepted_share() const { return drafted > 0 ? 1.0 * accepted / drafted : 0; }
};

// Measures sets on texts that the target wrote by plain decoding: compares selfspec's drafts, at
// positions one whole draft apart, with the text that follows. Nothing is decoded, so a set only
// costs its draft steps. Used by one thread at a time.
class SkipMeter {
 public:
  // Passes cost what `curve` says, a draft step as much of a pass of one row as it reads of the
  // weights. `model` outlives this and can leave out layers.
  SkipMeter(LanguageModel& model, CostCurve curve) : model_(model), curve_(std::move(curve)) {}

  // Reads a prompt (at least one token) and its output; an output of fewer than two tokens has no
  // draft and is ignored. Keeps the keys and values of all of it. False: it was stopped.
  bool add(std::vector<TokenId> prompt, const std::vector<TokenId>& output,
           const std::stop_token& stop);
  bool empty() const { return texts_.empty(); }
  // `skipped` has the model's layers. nullopt: it was stopped.
  std::optional<SkipScore> measure(const SkippedLayers& skipped, const std::stop_token& stop) const;

 private:
  struct Text {
    std::vector<TokenId> tokens;  // prompt and output
    int prompt_size;
    std::unique_ptr<KvCache> cache;  // of all of them
  };
  void measure(const Text& text, const SkippedLayers& skipped, const std::stop_token& stop,
               SkipScore& score) const;

  LanguageModel& model_;
  CostCurve curve_;
  std::vector<Text> texts_;
};

}  // namespace redraft
