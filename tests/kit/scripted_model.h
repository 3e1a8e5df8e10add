#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/language_model.h"

namespace redraft {

// A language model that is a function of the tokens before: no weights, and what it would write is
// known. It holds its callers to the KvCache contract: every slot below the cache's length must
// have the committed token at that position, however it got there. A breach throws
// std::logic_error.
class ScriptedModel : public LanguageModel {
 public:
  // The next token after `sequence` (never empty).
  using Script = std::function<TokenId(std::span<const TokenId> sequence)>;

  // What a token takes in a KvCache, by its own account.
  static constexpr std::size_t kSlotBytes = 100;

  ScriptedModel(int vocabulary, int context_length, Script script)
      : vocabulary_(vocabulary), context_length_(context_length), script_(std::move(script)) {}

  struct RandomOptions {
    int vocabulary = 24;
    int order = 2;  // how many tokens back the next one depends on
    int repetitiveness =
        80;  // percent of positions that depend on those tokens alone, not on the position too
    int context_length = 4096;
  };
  // Hashes the last few tokens. Low order and vocabulary make it repeat itself.
  static ScriptedModel random(std::uint32_t seed, const RandomOptions& options);
  // Writes `reference` after a prompt of `prompt_size` tokens, then `stop` for ever. After any
  // other output it goes on with the reference at the same distance from the prompt.
  static ScriptedModel replay(int vocabulary, int prompt_size, std::vector<TokenId> reference,
                              TokenId stop, int context_length);
  // Agrees with `model` except at about `percent` of the sequences. `model` outlives it.
  static ScriptedModel noisy(const ScriptedModel& model, std::uint32_t seed, int percent);

  // What it writes after `sequence`: the k best, best first, and their logits.
  struct Ranking {
    std::vector<TokenId> ids;
    std::vector<float> logits;
  };
  TokenId next(std::span<const TokenId> sequence) const { return script_(sequence); }
  Ranking ranking(std::span<const TokenId> sequence, int k) const;

  std::string name() const override { return "scripted"; }
  int vocabulary_size() const override { return vocabulary_; }
  int context_length() const override { return context_length_; }
  std::unique_ptr<KvCache> new_cache(int capacity) const override;
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override;

  // From now on as a model on a device: it leaves its caller time, and writes `steps` tokens in one
  // go.
  void set_on_device(int steps) { steps_ = steps; }
  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                    const std::function<void()>& meanwhile, Predictions& predictions) override;
  int steps_at_once() const override { return std::max(1, steps_); }

 private:
  void predict(std::span<const TokenId> sequence, const PredictionNeeds& needs,
               Predictions& predictions) const;

  int vocabulary_;
  int context_length_;
  Script script_;
  int steps_ = 0;  // 0: not on a device
};

// A well mixed hash of a few numbers, the same on every machine.
std::uint64_t hash_of(std::uint64_t seed, std::span<const TokenId> tokens);

}  // namespace redraft
