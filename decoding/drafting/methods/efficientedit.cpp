#include "decoding/drafting/methods/efficientedit.h"

#include <limits>
#include <utility>

#include "decoding/drafting/methods/decoders.h"

namespace redraft {
namespace {

AcceptancePolicy policy_of(const DecoderOptions& options) {
  using Rule = AcceptancePolicy::Rule;
  AcceptancePolicy policy{.k = options.integer("k"), .floor_tau = options.has("floor")};
  if (options.has("entropy")) policy.rule = Rule::kEntropy;
  if (options.has("top-k")) policy.rule = Rule::kTopK;
  if (options.has("direct")) policy.rule = Rule::kDirect;
  return policy;
}

Result<void> check_options(const DecoderOptions& options) {
  if (options.has("entropy") + options.has("top-k") + options.has("direct") > 1)
    return Error("entropy, top-k and direct exclude each other: choose one");
  return {};
}

std::unique_ptr<PhasePlan> make_plan(const PlanInputs& inputs) {
  const EfficientEditOptions options{
      .generate_policy = policy_of(inputs.options),
      .gamma = inputs.options.integer("gamma"),
      .key = inputs.options.integer("key"),
      .reuse_only = inputs.options.has("reuse-only"),
      .keep_correction = inputs.options.has("keep-correction"),
      .chunk = inputs.options.has("whole") ? std::numeric_limits<int>::max() : reuse_chunk(inputs)};
  return std::make_unique<EfficientEditPlan>(options, inputs.request, inputs.draft, inputs.stop);
}

}  // namespace

const DecoderDefinition& efficientedit_decoder() {
  static const DecoderDefinition kDefinition{
      .name = "efficientedit",
      .summary = "EfficientEdit: the rest of the original as one draft, a draft model at edits",
      .options =
          {DecoderOption::toggle("reuse-only", "no draft model: plain steps at edits"),
           DecoderOption::integer("gamma", 7, 1, 64, "tokens the draft model proposes"),
           DecoderOption::integer("key", 7, 1, 64,
                                  "tokens of an edit that must occur in the rest to return to it"),
           DecoderOption::toggle("entropy", "lossy: accept the best few, by entropy (eq. 10)"),
           DecoderOption::toggle("top-k", "lossy: accept any of the k best"),
           DecoderOption::toggle("direct", "lossy: accept everything the draft model proposes"),
           DecoderOption::integer("k", 3, 1, 64, "candidates for entropy and top-k"),
           DecoderOption::toggle("floor", "round eq. 10 down, as the authors' code does"),
           DecoderOption::toggle("keep-correction", "keep the target's own token at a mismatch"),
           DecoderOption::toggle("whole",
                                 "the rest in one pass, not in chunks; delays cancelling")},
      .make_plan = make_plan,
      .check = check_options,
      .lossless = [](const DecoderOptions& options) { return policy_of(options).lossless(); },
      .needs_draft_model = [](const DecoderOptions& options) { return !options.has("reuse-only"); },
      .needs_cost = true,
  };
  return kDefinition;
}

EfficientEditPlan::EfficientEditPlan(const EfficientEditOptions& options,
                                     const DecodeRequest& request, ModelSlot draft,
                                     std::stop_token stop)
    : options_(options),
      remainder_(request.original, options.chunk),
      phase_begin_(request.prompt.size()),
      pass_begin_(request.prompt.size()) {
  if (options.reuse_only) return;
  model_ =
      std::make_unique<ModelSource>(draft, options.gamma, request.stop_tokens, std::move(stop));
}

Phase EfficientEditPlan::next(std::span<const TokenId> context) {
  const bool first = context.size() == phase_begin_;
  const bool was_reusing = std::exchange(reusing_, reuse_follows(context));
  if (was_reusing && !reusing_) phase_begin_ = context.size();
  pass_begin_ = context.size();
  if (!reusing_)
    return {.source = model_.get(), .policy = options_.generate_policy, .name = "generate"};
  return {.source = &remainder_,
          .policy = AcceptancePolicy(),  // strict, whatever policy the other phase has
          .keep_correction = options_.keep_correction,
          .continues_pass = was_reusing && !first,
          .name = "reuse"};
}

bool EfficientEditPlan::reuse_follows(std::span<const TokenId> context) {
  if (reusing_) return remainder_.advance(context.subspan(pass_begin_)) && !remainder_.exhausted();
  const auto key = static_cast<std::size_t>(options_.key);
  if (context.size() - phase_begin_ < key) return false;
  return remainder_.resume_after(context.last(key)) && !remainder_.exhausted();
}

}  // namespace redraft
