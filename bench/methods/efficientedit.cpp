#include "bench/methods/efficientedit.h"

#include <limits>
#include <utility>

#include "bench/methods/lab_decoders.h"
#include "bench/methods/lossy_rules.h"

namespace redraft {
namespace {

// The rule of the generate phase; null: the strict one.
std::unique_ptr<const LossyRule> rule_of(const DecoderOptions& options) {
  const int k = options.integer("k");
  if (options.has("entropy"))
    return entropy_rule(k, options.has("floor") ? Rounding::kDown : Rounding::kUp);
  if (options.has("top-k")) return top_k_rule(k);
  if (options.has("direct")) return direct_rule();
  return nullptr;
}

Result<void> check_options(const DecoderOptions& options) {
  if (options.has("entropy") + options.has("top-k") + options.has("direct") > 1)
    return Error("entropy, top-k and direct exclude each other: choose one");
  return {};
}

std::unique_ptr<PhasePlan> make_plan(const PlanInputs& inputs) {
  const EfficientEditOptions options{
      .gamma = inputs.options.integer("gamma"),
      .key = inputs.options.integer("key"),
      .reuse_only = inputs.options.has("reuse-only"),
      .keep_correction = inputs.options.has("keep-correction"),
      .chunk = inputs.options.has("whole") ? std::numeric_limits<int>::max() : reuse_chunk(inputs)};
  return std::make_unique<EfficientEditPlan>(options, rule_of(inputs.options), inputs.request,
                                             inputs.draft, inputs.stop);
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
      .lossless = [](const DecoderOptions& options) { return rule_of(options) == nullptr; },
      .needs_draft_model = [](const DecoderOptions& options) { return !options.has("reuse-only"); },
      .needs_cost = true,
  };
  return kDefinition;
}

EfficientEditPlan::EfficientEditPlan(const EfficientEditOptions& options,
                                     std::unique_ptr<const LossyRule> generate_rule,
                                     const DecodeRequest& request, ModelSlot draft,
                                     std::stop_token stop)
    : options_(options),
      generate_rule_(std::move(generate_rule)),
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
  if (!reusing_) return {.source = model_.get(), .name = "generate", .lossy = generate_rule_.get()};
  return {.source = &remainder_,  // strict, whatever the other phase has
          .name = "reuse",
          .keep_correction = options_.keep_correction,
          .continues_pass = was_reusing && !first};
}

bool EfficientEditPlan::reuse_follows(std::span<const TokenId> context) {
  if (reusing_) return remainder_.advance(context.subspan(pass_begin_)) && !remainder_.exhausted();
  const auto key = static_cast<std::size_t>(options_.key);
  if (context.size() - phase_begin_ < key) return false;
  return remainder_.resume_after(context.last(key)) && !remainder_.exhausted();
}

}  // namespace redraft
