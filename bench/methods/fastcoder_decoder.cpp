#include "bench/methods/fastcoder.h"
#include "bench/methods/lab_decoders.h"

namespace redraft {
namespace {

FastCoderOptions options_from(const DecoderOptions& options) {
  return {.retrieval = RetrievalOptions::from(options),
          .alpha = options.real("alpha"),
          .beta = options.real("beta"),
          .cache = !options.has("no-cache"),
          .opens_at = options.integer("l"),
          .every = options.integer("every"),
          .strategy = !options.has("no-strategy"),
          .p = options.real("p"),
          .seed = options.integer("seed")};
}

class FastCoderPlan : public PhasePlan {
 public:
  explicit FastCoderPlan(const PlanInputs& inputs)
      : fresh_(options_from(inputs.options)),
        source_(options_from(inputs.options), stores_from(inputs), inputs.request.prompt.size(),
                inputs.memory.lines(),
                inputs.options.has("fresh-cache")
                    ? fresh_
                    : inputs.memory.state<FastCoderState>(inputs.name.text,
                                                          options_from(inputs.options))) {}

  Phase next(std::span<const TokenId>) override { return {.source = &source_}; }

 private:
  static FastCoderStores stores_from(const PlanInputs& inputs) {
    return {.repository = inputs.options.has("no-repo") ? nullptr : inputs.request.repository,
            .common = inputs.options.has("no-common") ? nullptr : inputs.request.common};
  }

  FastCoderState fresh_;
  FastCoderSource source_;
};

std::vector<DecoderOption> declared() {
  std::vector<DecoderOption> options = RetrievalOptions::declared();
  for (const DecoderOption& own :
       {DecoderOption::real("alpha", 1, 0, 1000, "weight of an occurrence in the repository"),
        DecoderOption::real("beta", 1, 0, 1000, "weight of an occurrence in common code"),
        DecoderOption::integer("l", 50, 0, 4096, "sequences that CACHE needs to open"),
        DecoderOption::integer("every", 20, 1, 1024, "tokens of output in a sequence"),
        DecoderOption::real("p", 0.5, 0, 1, "probability of retrieval at the beginning of a line"),
        DecoderOption::integer("seed", 0, 0, 1'000'000'000,
                               "random seed for p, used for each request"),
        DecoderOption::toggle("no-cache", "without CACHE"),
        DecoderOption::toggle("fresh-cache", "CACHE starts empty with every request"),
        DecoderOption::toggle("no-strategy", "do not use skip token and missing table"),
        DecoderOption::toggle("no-repo", "do not use the repository's datastore"),
        DecoderOption::toggle("no-common", "do not use the datastore of common code")}) {
    options.push_back(own);
  }
  return options;
}

}  // namespace

const DecoderDefinition& fastcoder_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "fastcoder",
      .summary = "FastCoder: retrieval from the repository, common code and what was written",
      .options = declared(),
      .make_plan = [](const PlanInputs& inputs) -> std::unique_ptr<PhasePlan> {
        return std::make_unique<FastCoderPlan>(inputs);
      },
      .uses_datastores = true,
  };
  return kDefinition;
}

}  // namespace redraft
