#include "decoding/drafting/redraft/model_proposer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace redraft {
namespace {

constexpr double kShareOfTarget = 0.4;  // cost of a draft model's step until one is timed
constexpr int kAtHand = 2 * ModelProposer::kMaxTokens;  // tokens that are read at no extra price
constexpr double kMemory = 200;                         // number of proposed tokens remembered

}  // namespace

ModelProposer::ModelProposer(ModelSlot slot, std::span<const TokenId> stop_tokens,
                             std::stop_token stop, const PassPace& target)
    : slot_(slot), source_(slot, kMaxTokens, stop_tokens, std::move(stop)), target_(target) {}

Proposal ModelProposer::propose(std::span<const TokenId> context, int limit, double rate) {
  seconds_ = 0;
  const auto length = static_cast<int>(context.size());
  const Plan plan = best_plan(length, limit);
  if (plan.tokens == 0 || plan.expected < kProposalMargin * rate * plan.seconds) return {};
  const int behind = length - slot_.cache->common_prefix(context);
  if (behind > kAtHand) {
    const double read =
        read_seconds_ > 0 ? read_seconds_ : kShareOfTarget * (target_.seconds(64, length) / 64);
    missed_ += plan.expected / rate - plan.seconds;
    if (missed_ < read * behind) return {};
  }
  missed_ = 0;
  const double start = slot_.model->compute_seconds();
  const DraftTree draft = source_.draft(context, plan.tokens);
  seconds_ = slot_.model->compute_seconds() - start;
  time(behind, draft.size());
  Proposal proposal;
  for (const TokenId token : draft.tokens())
    proposal.push_back({.token = token, .match = static_cast<int>(proposal.size())});
  return proposal;
}

ModelProposer::Plan ModelProposer::best_plan(int context, int limit) const {
  const double step =
      step_seconds_ > 0 ? step_seconds_ : kShareOfTarget * target_.seconds(1, context);
  Plan best{.seconds = target_.seconds(1, context)};
  double expected = 1;
  double stands = 1;
  for (int tokens = 1; tokens <= std::min(limit, kMaxTokens); ++tokens) {
    stands *= right_share();
    expected += stands;
    const double seconds = target_.seconds(1 + tokens, context) + tokens * step;
    if (expected / seconds > best.expected / best.seconds) best = {tokens, expected, seconds};
  }
  return best;
}

// The time to read a few tokens counts as part of the first step.
void ModelProposer::time(int behind, int tokens) {
  if (tokens == 0) return;
  if (behind <= kAtHand) {
    blend_seconds(step_seconds_, seconds_ / tokens);
  } else if (step_seconds_ > 0) {
    blend_seconds(read_seconds_, std::max(0.0, seconds_ - tokens * step_seconds_) / behind);
  }
}

void ModelProposer::learn(const Proposal& proposal, std::span<const TokenId> written) {
  for (std::size_t i = 0; i < std::min(proposal.size(), written.size()); ++i) {
    const bool right = proposal[i].token == written[i];
    right_ += right ? 1 : 0;
    tries_ += 1;
    if (!right) break;
  }
  if (tries_ > kMemory) {
    right_ *= kMemory / tries_;
    tries_ = kMemory;
  }
}

}  // namespace redraft
