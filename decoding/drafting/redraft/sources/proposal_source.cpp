#include "decoding/drafting/redraft/sources/proposal_source.h"

namespace redraft {
namespace {

// The `match` is the number of tokens of the proposal before it.
constexpr GuessKind kModel("model", DraftOrigin::kModel, WhenFirst::same(.75),
                           WhenLater::same(.50));

// Tokens of the proposal that a branch has so far; -1: it left the proposal.
struct Proposed {
  int tokens = 0;
};

class ProposalSource final : public SourceWith<Proposed> {
 public:
  explicit ProposalSource(const SourceInputs& inputs)
      : proposal_(*inputs.proposal), model_(inputs.kinds.add(kModel)) {}

  Proposed at_end() const override { return {}; }
  Proposed advance(Proposed so_far, const Branch& branch) const override {
    const bool as_proposed = goes_on(so_far) && next(so_far) == branch.tokens.back();
    return {as_proposed ? so_far.tokens + 1 : -1};
  }
  void add_guesses(const Proposed& so_far, const Branch&, std::vector<Guess>& out) const override {
    if (goes_on(so_far)) out.push_back({next(so_far), model_, so_far.tokens});
  }

 private:
  bool goes_on(Proposed so_far) const {
    return so_far.tokens >= 0 && so_far.tokens < std::ssize(proposal_);
  }
  TokenId next(Proposed so_far) const { return proposal_[static_cast<std::size_t>(so_far.tokens)]; }

  const std::vector<TokenId>& proposal_;
  GuessKindId model_;
};

}  // namespace

std::unique_ptr<GuessSource> proposal_source(const SourceInputs& inputs) {
  return inputs.proposal ? std::make_unique<ProposalSource>(inputs) : nullptr;
}

}  // namespace redraft
