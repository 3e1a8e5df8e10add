#include "serving/make_drafter.h"

#include <utility>

#include "decoding/model/tokenizer_loader.h"

namespace redraft {

Result<std::unique_ptr<BatchDrafter>> make_drafter(const DrafterChoices& choices) {
  if (choices.longest < 1) return Error("a draft needs at least one token");
  BatchDrafter::Options options{.longest = choices.longest,
                                .remembers = choices.remembers,
                                .most_tokens = choices.most_tokens};
  if (choices.tokenizer) {
    auto tokenizer = load_tokenizer(*choices.tokenizer);
    if (!tokenizer) return tokenizer.error();
    options.tokenizer = std::move(*tokenizer);
  }
  if (choices.cost) {
    auto cost = CostCurve::parse_points(*choices.cost);
    if (!cost) return cost.error();
    options.cost = std::move(*cost);
  }
  return std::make_unique<BatchDrafter>(std::move(options));
}

}  // namespace redraft
