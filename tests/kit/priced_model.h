#pragma once

#include <utility>

#include "decoding/cost_curve.h"
#include "tests/kit/scripted_model.h"

namespace redraft {

// A scripted model that adds up the price of its decoding passes: the time that they would take on
// a machine with this cost curve.
class PricedModel : public ScriptedModel {
 public:
  PricedModel(ScriptedModel model, CostCurve curve)
      : ScriptedModel(std::move(model)), curve_(std::move(curve)) {}

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    const int rows = static_cast<int>(context.size()) + draft.size();
    if (needs.every_row) cost_ += curve_.seconds(rows, cache.length()) - price_of_prompt(context);
    return ScriptedModel::forward(context, draft, cache, needs);
  }
  double cost() const { return cost_; }

 private:
  // The part of the prompt that a pass reads, before the last token of the context, is not
  // decoding.
  double price_of_prompt(std::span<const TokenId> context) const {
    return context.size() > 1 ? curve_.seconds(static_cast<int>(context.size()) - 1) : 0;
  }

  CostCurve curve_;
  double cost_ = 0;
};

}  // namespace redraft
