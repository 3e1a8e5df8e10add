#include "decoding/drafting/efficientedit.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "decoding/chunk_sizer.h"
#include "decoding/drafting/decoders.h"

namespace redraft {
namespace {

constexpr double kChunkTolerance = 0.1;  // how much dearer a row may be than in the best chunk

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
    return Error("entropy, top-k and direct are three rules: choose one");
  return {};
}

// A chunk's rows are its tokens and the context's last one.
int chunk_of(const PlanInputs& inputs) {
  if (inputs.options.has("whole")) return std::numeric_limits<int>::max();
  const auto context = static_cast<int>(inputs.request.prompt.size());
  const int most = priced_chunk_rows(inputs.cost, context);
  return std::max(1, inputs.cost.efficient_rows(most, kChunkTolerance, context) - 1);
}

std::unique_ptr<PhasePlan> make_plan(const PlanInputs& inputs) {
  const EfficientEditOptions options{.generate_policy = policy_of(inputs.options),
                                     .gamma = inputs.options.integer("gamma"),
                                     .key = inputs.options.integer("key"),
                                     .reuse_only = inputs.options.has("reuse-only"),
                                     .keep_correction = inputs.options.has("keep-correction"),
                                     .chunk = chunk_of(inputs)};
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
           DecoderOption::toggle("entropy", "lossy: accept the best few by the entropy (eq. 10)"),
           DecoderOption::toggle("top-k", "lossy: accept any of the k best"),
           DecoderOption::toggle("direct", "lossy: accept all that the draft model says"),
           DecoderOption::integer("k", 3, 1, 64, "candidates that entropy and top-k look at"),
           DecoderOption::toggle("floor", "round eq. 10 down, as the authors' code does"),
           DecoderOption::toggle("keep-correction", "keep the target's own token at a mismatch"),
           DecoderOption::toggle("whole", "the rest in one pass, not in chunks: a cancel waits")},
      .make_plan = make_plan,
      .check = check_options,
      .lossless = [](const DecoderOptions& options) { return policy_of(options).lossless(); },
      .needs_draft_model = [](const DecoderOptions& options) { return !options.has("reuse-only"); },
      .needs_cost = true,
  };
  return kDefinition;
}

DraftTree RemainderSource::draft(std::span<const TokenId>, int limit) {
  const auto rest = std::span(original_).subspan(position_);
  drafted_ =
      std::min({rest.size(), static_cast<std::size_t>(chunk_), static_cast<std::size_t>(limit)});
  return DraftTree::chain(rest.first(drafted_), DraftOrigin::kReuse);
}

bool RemainderSource::advance(std::span<const TokenId> written) {
  const std::size_t expected = std::exchange(drafted_, 0);
  for (const TokenId token : written) {
    if (exhausted() || original_[position_] != token) return false;
    ++position_;
  }
  return written.size() >= expected;
}

bool RemainderSource::resume_after(std::span<const TokenId> key) {
  const auto begin = original_.begin() + static_cast<std::ptrdiff_t>(position_);
  const auto found = std::search(begin, original_.end(), key.begin(), key.end());
  if (found == original_.end()) return false;
  position_ = static_cast<std::size_t>(found - original_.begin()) + key.size();
  return true;
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
  if (!reusing_) return {.source = model_.get(), .policy = options_.generate_policy};
  return {.source = &remainder_,
          .policy = {},
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
