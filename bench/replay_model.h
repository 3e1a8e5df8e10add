#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/language_model.h"

namespace redraft {

// The output of a ReplayModel after a prompt of `prompt_size` tokens: `text`, then `stop` forever.
// Only the distance from the prompt counts, whatever was written before.
struct ReplayScript {
  int prompt_size = 0;
  std::vector<TokenId> text;
  TokenId stop = 0;
};

// A language model without weights that writes a known text, so that the passes of a decoder can be
// counted. It answers every query; second choices and log-probabilities are invented.
class ReplayModel : public LanguageModel {
 public:
  // `agreement`: the percentage of positions at which it writes what the script says; elsewhere it
  // writes another token, the same in every run. Use 100 for a target; a lower value makes a draft
  // model of known quality.
  ReplayModel(std::string name, int vocabulary, int context_length, int agreement = 100);

  // Sets the reported time of a pass: `share` times the curve's price for its rows and context.
  // Before this is called a pass takes no time, so that results that depend on time are the same in
  // every run.
  void set_price(const CostCurve& curve, double share) {
    curve_ = curve;
    share_ = share;
  }
  // Whether verify() calls back while it runs, as a model on a device does. False at first.
  void set_on_device(bool on_device) { on_device_ = on_device; }
  // Writes this script from now on.
  void set_script(std::shared_ptr<const ReplayScript> script) { script_ = std::move(script); }

  std::string name() const override { return name_; }
  double compute_seconds() const override { return seconds_; }
  int vocabulary_size() const override { return vocabulary_; }
  int context_length() const override { return context_length_; }
  std::unique_ptr<KvCache> new_cache(int capacity) const override;
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override;
  Acceptance verify(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                    const std::function<void()>& meanwhile, Predictions& predictions) override;

 private:
  TokenId next(int sequence_length) const;
  void predict(int sequence_length, const PredictionNeeds& needs, Predictions& predictions) const;

  std::string name_;
  int vocabulary_;
  int context_length_;
  int agreement_;
  CostCurve curve_;
  double share_ = 0;
  double seconds_ = 0;
  bool on_device_ = false;
  std::shared_ptr<const ReplayScript> script_;
};

}  // namespace redraft
