#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/language_model.h"

namespace redraft {

// What a ReplayModel writes: after a prompt of `prompt_size` tokens `text`, then `stop` for ever.
// It goes by the distance from the prompt alone, whatever was written before.
struct ReplayScript {
  int prompt_size = 0;
  std::vector<TokenId> text;
  TokenId stop = 0;
};

// A language model without weights that writes a known text, so that the passes of a decoder can be
// counted. Everything it can be asked it answers; second choices and log-probabilities are made up.
class ReplayModel : public LanguageModel {
 public:
  // `agreement`: the percentage of positions at which it writes what the script says; elsewhere
  // another token, the same in every run. 100 for a target; less makes a draft model of known
  // worth.
  ReplayModel(std::string name, int vocabulary, int context_length, int agreement = 100);

  // From now on.
  void set_script(std::shared_ptr<const ReplayScript> script) { script_ = std::move(script); }
  // Passes that predicted something, since the last call.
  int take_passes();

  std::string name() const override { return name_; }
  int vocabulary_size() const override { return vocabulary_; }
  int context_length() const override { return context_length_; }
  std::unique_ptr<KvCache> new_cache(int capacity) const override;
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override;

 private:
  TokenId next(int sequence_length) const;
  void predict(int sequence_length, const PredictionNeeds& needs, Predictions& predictions) const;

  std::string name_;
  int vocabulary_;
  int context_length_;
  int agreement_;
  int passes_ = 0;
  std::shared_ptr<const ReplayScript> script_;
};

}  // namespace redraft
