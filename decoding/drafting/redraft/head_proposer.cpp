#include "decoding/drafting/redraft/head_proposer.h"

#include <algorithm>
#include <vector>

namespace redraft {
namespace {

constexpr double kShareOfPass = 0.05;  // cost of a run until one is timed
constexpr double kMemory = 40;         // runs that a place's share remembers
constexpr double kTrustInPrior = 4;    // runs; a head that is never right then costs one plain step
constexpr double kPriorShares[] = {
    .60, .50, .40};            // of the first places; the last value applies to all further ones
constexpr int kAskAgain = 32;  // passes without a run after which one is tried regardless

// The confidence of the head in tenths: the classes of a guess's survival probability.
int match_of(float probability) {
  const int bucket = std::clamp(static_cast<int>(probability * 10), 0, MatchBuckets::kCount - 1);
  constexpr int kLast = MatchBuckets::kCount - 2;
  return bucket <= kLast ? MatchBuckets::kLongest[static_cast<std::size_t>(bucket)]
                         : MatchBuckets::kLongest[kLast] + 1;
}

}  // namespace

HeadRecord::HeadRecord() {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const double prior = kPriorShares[std::min(i, std::size(kPriorShares) - 1)];
    places_[i] = {.right = prior * kTrustInPrior, .tries = kTrustInPrior};
  }
}

void HeadRecord::learn(int place, bool right) {
  Place& own = places_[static_cast<std::size_t>(place)];
  own.right += right ? 1 : 0;
  own.tries += 1;
  if (own.tries > kMemory) {
    own.right *= kMemory / own.tries;
    own.tries = kMemory;
  }
}

HeadProposer::HeadProposer(const ModelSlot& target, const PassPace& pace, HeadRecord& record)
    : target_(*target.model),
      head_(*target.model->head_drafting()),
      reader_(target),
      pace_(pace),
      record_(record) {}

Proposal HeadProposer::propose(std::span<const TokenId> context, int limit, double rate) {
  seconds_ = 0;
  const bool can_ask = reader_.arrive(context);
  const int all = std::min({limit, head_.head_tokens(), HeadRecord::kMaxPlaces});
  if (!can_ask || all <= 0) return {};
  int places = places_that_pay(static_cast<int>(context.size()), all, rate);
  if (places < all && ++record_.passes_since >= kAskAgain) places = all;
  if (places == 0) return {};
  if (places == all) record_.passes_since = 0;
  const double start = target_.compute_seconds();
  const std::vector<HeadPlace> proposed = reader_.ask(context.back(), places);
  seconds_ = target_.compute_seconds() - start;
  if (proposed.empty()) return {};
  const auto steps = static_cast<double>(head_.head_takes_steps() ? proposed.size() : 1);
  blend_seconds(record_.seconds, seconds_ / steps);
  Proposal proposal;
  for (const HeadPlace& place : proposed) {
    proposal.push_back({.token = place.first.token,
                        .match = match_of(place.first.probability),
                        .other = place.second.token,
                        .other_match = match_of(place.second.probability)});
  }
  return proposal;
}

// The number of the head's tokens that promises the most tokens a second, if that is more than the
// other sources promise; all of them if fewer cost the same. 0: none.
int HeadProposer::places_that_pay(int context, int places, double rate) const {
  const bool takes_steps = head_.head_takes_steps();
  const double run =
      record_.seconds > 0 ? record_.seconds : kShareOfPass * pace_.seconds(1, context);
  double best_rate = kProposalMargin * rate;
  int best = 0;
  double expected = 1;
  double stands = 1;
  for (int place = 0; place < places; ++place) {
    stands *= record_.share(place);
    expected += stands;
    const double seconds = pace_.seconds(2 + place, context) + run * (takes_steps ? 1 + place : 1);
    if (expected <= best_rate * seconds) continue;
    best_rate = expected / seconds;
    best = 1 + place;
  }
  return best > 0 && !takes_steps ? places : best;
}

void HeadProposer::learn(const Proposal& proposal, std::span<const TokenId> written) {
  for (std::size_t i = 0; i < std::min(proposal.size(), written.size()); ++i) {
    const bool right = proposal[i].token == written[i];
    record_.learn(static_cast<int>(i), right);
    if (!right) return;
  }
}

}  // namespace redraft
