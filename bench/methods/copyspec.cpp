#include "bench/methods/copyspec.h"

#include <algorithm>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "decoding/drafting/methods/model_source.h"
#include "decoding/drafting/methods/source_plan.h"

namespace redraft {
namespace {

DecoderOption gamma_option() {
  return DecoderOption::integer("gamma", 3, 1, 64, "last tokens that must have occurred before");
}

DecoderOption tokens_option() {
  return DecoderOption::integer("tokens", 10, 0, 128, "tokens that are copied");
}

std::unique_ptr<PhasePlan> make_plan(const DecoderOptions& options,
                                     std::unique_ptr<DraftSource> otherwise) {
  return std::make_unique<SourcePlan>(std::make_unique<CopySpecSource>(
      options.integer("gamma"), options.integer("tokens"), std::move(otherwise)));
}

}  // namespace

CopySpecSource::CopySpecSource(int gamma, int tokens, std::unique_ptr<DraftSource> otherwise)
    : places_(gamma),
      gamma_(static_cast<std::size_t>(gamma)),
      tokens_(static_cast<std::size_t>(tokens)),
      otherwise_(std::move(otherwise)) {}

DraftTree CopySpecSource::draft(std::span<const TokenId> context, int limit) {
  places_.absorb(context);
  const auto place = places_.of_end(context);
  // The first occurrence is the one farthest away: if it overlaps, all do.
  if (place && *place + gamma_ <= context.size() - gamma_) {
    const auto after = context.subspan(*place + gamma_);
    const std::size_t count = std::min({tokens_, after.size(), static_cast<std::size_t>(limit)});
    return DraftTree::chain(after.first(count), DraftOrigin::kCopy);
  }
  return otherwise_ ? otherwise_->draft(context, limit) : DraftTree();
}

const DecoderDefinition& copyspec_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "copyspec",
      .summary = "CopySpec: copies what followed the first occurrence of the last tokens",
      .options = {gamma_option(), tokens_option()},
      .make_plan = [](const PlanInputs& inputs) { return make_plan(inputs.options, nullptr); },
  };
  return kDefinition;
}

const DecoderDefinition& copyspec_sd_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "copyspec+sd",
      .summary = "CopySpec, and a draft model where nothing can be copied",
      .options = {gamma_option(), tokens_option(),
                  DecoderOption::integer("draft", 3, 1, 64, "tokens the draft model proposes")},
      .make_plan =
          [](const PlanInputs& inputs) {
            return make_plan(inputs.options, std::make_unique<ModelSource>(
                                                 inputs.draft, inputs.options.integer("draft"),
                                                 inputs.request.stop_tokens, inputs.stop));
          },
      .needs_draft_model = [](const DecoderOptions&) { return true; },
  };
  return kDefinition;
}

}  // namespace redraft
