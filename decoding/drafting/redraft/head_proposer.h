#pragma once

#include <array>
#include <span>

#include "decoding/drafting/methods/head_reader.h"
#include "decoding/drafting/redraft/pass_pace.h"
#include "decoding/drafting/redraft/proposer.h"
#include "support/token.h"

namespace redraft {

// Statistics of a target's draft head, kept from request to request.
struct HeadRecord {
  static constexpr int kMaxPlaces = 8;
  // How often the token at a place is right if those before it are: right out of tries, starting
  // from a prior.
  struct Place {
    double right = 0;
    double tries = 0;
  };
  HeadRecord();
  double share(int place) const { return at(place).right / at(place).tries; }
  void learn(int place, bool right);

  double seconds = 0;    // of a run, or of a step if the head takes one per token; 0: unknown
  int passes_since = 0;  // the last run for all places

 private:
  const Place& at(int place) const { return places_[static_cast<std::size_t>(place)]; }
  std::array<Place, kMaxPlaces> places_;
};

// The target's draft head, which runs when that is expected to pay. A run takes about a twentieth
// of a pass. The price is small, but a run gains nothing where other sources nearly know the text.
//
// An example. A pass takes 50 ms and a run of the head 2.5; its three tokens are right in 7, 6 and
// 5 of 10 cases if the tokens before them are right. Verified in 56 ms, they promise 1 + .7 + .42 +
// .21 tokens in 58.5 ms, 40 a second. Where a copy promises 60, the head does not run; where
// nothing is known the target alone writes 20, and the head runs. If the head is never right, its
// promise falls below 20 as well, and it only runs occasionally, in case the text has changed. So
// it can lose at most some twenty runs, which is one plain step, and later one run in 32 passes.
//
// A head that takes a step per token, as an MTP block does, is asked for as many tokens as promise
// the most. If a step takes 10 ms, one of the example's tokens promises 27.4 a second, two promise
// 28.6 and three 27.1: it is asked for two.
class HeadProposer : public Proposer {
 public:
  // The target's model has a head; the target, its price `pace` and `record` outlive this.
  HeadProposer(const ModelSlot& target, const PassPace& pace, HeadRecord& record);

  Proposal propose(std::span<const TokenId> context, int limit, double rate) override;
  void learn(const Proposal& proposal, std::span<const TokenId> written) override;
  void observe(const VerifiedDraft& pass) override { reader_.observe(pass); }

 private:
  int places_that_pay(int context, int places, double rate) const;

  LanguageModel& target_;
  HeadDrafting& head_;
  HeadReader reader_;
  const PassPace& pace_;
  HeadRecord& record_;
};

}  // namespace redraft
