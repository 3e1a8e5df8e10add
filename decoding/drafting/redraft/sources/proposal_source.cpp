#include "decoding/drafting/redraft/sources/proposal_source.h"

namespace redraft {
namespace {

// The `match` is the number of tokens of the proposal before it.
constexpr GuessKind kModel("model", DraftOrigin::kModel, WhenFirst::same(.75),
                           WhenLater::same(.50));
// The `match` is the probability that the head gives the token, in tenths: one bucket for each.
constexpr GuessKind kHead("head", DraftOrigin::kHead,
                          WhenFirst(.05, .15, .25, .35, .45, .55, .65, .75, .85, .93, .99),
                          WhenLater(.04, .12, .20, .28, .36, .44, .50, .50, .50, .50, .50));

// Tokens of the proposal that a branch has so far; -1: it left the proposal.
struct Proposed {
  int tokens = 0;
};

class ProposalSource final : public SourceWith<Proposed> {
 public:
  ProposalSource(const Proposal& proposal, GuessKindId kind) : proposal_(proposal), kind_(kind) {}

  Proposed at_end() const override { return {}; }
  Proposed advance(Proposed so_far, const Branch& branch) const override {
    const bool as_proposed = goes_on(so_far) && next(so_far).token == branch.tokens.back();
    return {as_proposed ? so_far.tokens + 1 : -1};
  }
  void add_guesses(const Proposed& so_far, const Branch&, std::vector<Guess>& out) const override {
    if (!goes_on(so_far)) return;
    const ProposedPlace& place = next(so_far);
    out.push_back({place.token, kind_, place.match});
    if (place.other >= 0) out.push_back({place.other, kind_, place.other_match});
  }

 private:
  bool goes_on(Proposed so_far) const {
    return so_far.tokens >= 0 && so_far.tokens < std::ssize(proposal_);
  }
  const ProposedPlace& next(Proposed so_far) const {
    return proposal_[static_cast<std::size_t>(so_far.tokens)];
  }

  const Proposal& proposal_;
  GuessKindId kind_;
};

}  // namespace

std::unique_ptr<GuessSource> model_proposal_source(const SourceInputs& inputs) {
  const Proposal* const proposal = inputs.proposals.model;
  return proposal ? std::make_unique<ProposalSource>(*proposal, inputs.kinds.add(kModel)) : nullptr;
}

std::unique_ptr<GuessSource> head_proposal_source(const SourceInputs& inputs) {
  const Proposal* const proposal = inputs.proposals.head;
  return proposal ? std::make_unique<ProposalSource>(*proposal, inputs.kinds.add(kHead)) : nullptr;
}

}  // namespace redraft
