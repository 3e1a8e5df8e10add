#include "decoding/drafting/redraft/sources/recycled_source.h"

#include "decoding/drafting/lookup/successor_table.h"

namespace redraft {
namespace {

// The `match` is 0 for the newest successor, 1 for the one before it.
constexpr GuessKind kRecycled("recycled", DraftOrigin::kRecycled,
                              WhenFirst(.25, .15, .15, .15, .15, .15, .15, .15, .15, .15, .15),
                              WhenLater(.15, .10, .10, .10, .10, .10, .10, .10, .10, .10, .10));

class RecycledSource final : public StatelessSource {
 public:
  explicit RecycledSource(const SourceInputs& inputs)
      : successors_(inputs.memory.part<SuccessorTable>()), recycled_(inputs.kinds.add(kRecycled)) {}

  void observe(const VerifiedDraft& pass) override {
    successors_.learn(pass.draft, pass.predictions);
  }

  void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    const auto* successors = successors_.after(branch.tokens.back());
    if (!successors) return;
    for (int i = 0; i < SuccessorTable::kKept; ++i) {
      if ((*successors)[i] >= 0) out.push_back({(*successors)[i], recycled_, i});
    }
  }

 private:
  SuccessorTable& successors_;
  GuessKindId recycled_;
};

}  // namespace

std::unique_ptr<GuessSource> recycled_source(const SourceInputs& inputs) {
  return std::make_unique<RecycledSource>(inputs);
}

}  // namespace redraft
