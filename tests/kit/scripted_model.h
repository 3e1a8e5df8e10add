#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/language_model.h"
#include "decoding/model_powers.h"

namespace redraft {

// A language model that is a function of the tokens so far: it has no weights, and its output is
// known. It checks that its callers respect the contract of KvCache: every slot below the cache's
// length must have the committed token at that position, however it got there. A violation throws
// std::logic_error.
class ScriptedModel : public LanguageModel, public LayerSkipping, public HeadDrafting {
 public:
  // The next token after `sequence` (never empty).
  using Script = std::function<TokenId(std::span<const TokenId> sequence)>;

  // The size of a token in a KvCache, as the model reports it.
  static constexpr std::size_t kSlotBytes = 100;
  // The size of a copy of its state, likewise, if it has state.
  static constexpr std::size_t kStateBytes = 5000;

  ScriptedModel(int vocabulary, int context_length, Script script)
      : vocabulary_(vocabulary), context_length_(context_length), script_(std::move(script)) {}

  struct RandomOptions {
    int vocabulary = 24;
    int order = 2;  // the number of previous tokens that the next one depends on
    // Percentage of positions that depend only on those tokens, and not also on the position.
    int repetitiveness = 80;
    int context_length = 4096;
  };
  // Hashes the last few tokens. With a low order and a small vocabulary it repeats itself.
  static ScriptedModel random(std::uint32_t seed, const RandomOptions& options);
  // Writes `reference` after a prompt of `prompt_size` tokens, then `stop` forever. After any other
  // output it continues with the reference at the same distance from the prompt.
  static ScriptedModel replay(int vocabulary, int prompt_size, std::vector<TokenId> reference,
                              TokenId stop, int context_length);
  // Agrees with `model` except for about `percent` of the sequences. `model` outlives it.
  static ScriptedModel noisy(const ScriptedModel& model, std::uint32_t seed, int percent);

  // The predictions after `sequence`: the k best tokens, best first, and their logits.
  struct Ranking {
    std::vector<TokenId> ids;
    std::vector<float> logits;
  };
  TokenId next(std::span<const TokenId> sequence) const { return script_(sequence); }
  Ranking ranking(std::span<const TokenId> sequence, int k) const;
  // The logits of all tokens after `sequence`. next() is the likeliest: from nearly certain to
  // hardly likelier than others.
  std::vector<float> logits(std::span<const TokenId> sequence) const;

  std::string name() const override { return "scripted"; }
  int vocabulary_size() const override { return vocabulary_; }
  int context_length() const override { return context_length_; }
  std::unique_ptr<KvCache> new_cache(int capacity) const override;
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override;

  // The probability of next() after `sequence`, as logits() reports it; 0: the default.
  using Certainty = std::function<double(std::span<const TokenId> sequence)>;
  void set_certainty(Certainty certainty) { certainty_ = std::move(certainty); }

  // Behaves like a model on a device from now on: calls back while it works, and writes `steps`
  // tokens in one go.
  void set_on_device(int steps) { steps_ = steps; }
  // New caches have state beside their rows from then on, as those of recurrent models: they can be
  // cut back only to the few lengths that were remembered. forward() throws if the state is not
  // that of the committed tokens.
  void set_state() { has_state_ = true; }
  // Offers draft_step() with that many layers, whatever is left out: what it drafts, and how likely
  // it calls that.
  using Likelihood = std::function<float(std::span<const TokenId> sequence)>;
  void set_skipping(int layers, Script script, Likelihood likelihood);
  LayerSkipping* layer_skipping() override { return skippable_layers_ > 0 ? this : nullptr; }
  int skippable_layers() const override { return skippable_layers_; }
  double drafting_share(const SkippedLayers& /*skipped*/) const override { return 1; }
  DraftedToken draft_step(std::span<const TokenId> context, const SkippedLayers& skipped,
                          KvCache& cache) override;
  // Has a draft head from now on, which proposes `tokens` tokens of a script and, as second
  // choices, the ids after them. It throws if it is queried about a row of another pass, or with a
  // token that is not the row's prediction (which it does not know if the pass returned logits).
  void set_head(int tokens, Script script, Likelihood likelihood);
  HeadDrafting* head_drafting() override { return head_tokens_ > 0 ? this : nullptr; }
  int head_tokens() const override { return head_tokens_; }
  std::vector<HeadPlace> head_draft(int row, TokenId token, int most, KvCache& cache) override;
  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                    const std::function<void()>& meanwhile, Predictions& predictions) override;
  int steps_at_once() const override { return std::max(1, steps_); }

 private:
  void predict(std::span<const TokenId> sequence, const PredictionNeeds& needs,
               Predictions& predictions) const;

  int vocabulary_;
  int context_length_;
  Script script_;
  Certainty certainty_;
  int steps_ = 0;  // 0: not on a device
  bool has_state_ = false;
  int skippable_layers_ = 0;
  Script skipping_script_;
  Likelihood likelihood_;
  int head_tokens_ = 0;
  Script head_script_;
  Likelihood head_likelihood_;
  std::vector<std::vector<TokenId>> last_rows_;  // the tokens before each row of the last pass
  bool last_gave_logits_ = false;
};

// A well mixed hash of a few numbers, the same on every machine.
std::uint64_t hash_of(std::uint64_t seed, std::span<const TokenId> tokens);

}  // namespace redraft
