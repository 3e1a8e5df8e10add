#include "decoding/drafting/redraft/sources/remembered_source.h"

#include "decoding/drafting/lookup/draft_memory.h"
#include "decoding/drafting/redraft/sources/copies.h"

namespace redraft {
namespace {

constexpr int kAround = 32;  // tokens stored before and after new ones

constexpr GuessKind kRemembered("remembered", DraftOrigin::kCache,
                                WhenFirst(.05, .12, .20, .27, .37, .41, .48, .68, .85, .90, .95),
                                WhenLater(.02, .06, .12, .13, .17, .18, .21, .30, .40, .40, .40));

// The branch's position in both halves of the memory.
struct Remembered {
  SuffixAutomaton::Cursor recent, old;
};

class RememberedSource final : public SourceWith<Remembered> {
 public:
  explicit RememberedSource(const SourceInputs& inputs)
      : memory_(inputs.memory.part<DraftMemory>()), copies_(inputs.kinds.add(kRemembered)) {
    for (const TokenId token : prompt_end(inputs.request)) end_ = after(end_, token);
  }

  // Stores each stretch of new tokens with some tokens around it. Unchanged text is in the buffer
  // anyway.
  ~RememberedSource() override {
    const auto size = output_.size();
    for (std::size_t begin = 0; begin < size;) {
      if (!is_new_[begin]) {
        ++begin;
        continue;
      }
      std::size_t end = begin;
      for (std::size_t last = begin; end < size && end - last <= 2 * kAround; ++end) {
        if (is_new_[end]) last = end;
      }
      const std::size_t from = begin > kAround ? begin - kAround : 0;
      memory_.add(std::span(output_).subspan(from, end - from));
      begin = end;
    }
  }

  void follow(const Branch& end) override {
    output_.push_back(end.tokens.back());
    is_new_.push_back(!end.original.in_sync);
    end_ = after(end_, end.tokens.back());
  }

  Remembered at_end() const override { return end_; }
  Remembered advance(Remembered at, const Branch& branch) const override {
    return after(at, branch.tokens.back());
  }
  void add_guesses(const Remembered& at, const Branch&, std::vector<Guess>& out) const override {
    copies_.add(memory_.recent(), at.recent, out);
    copies_.add(memory_.old(), at.old, out);
  }

 private:
  Remembered after(Remembered at, TokenId token) const {
    return {memory_.recent().advance(at.recent, token), memory_.old().advance(at.old, token)};
  }

  DraftMemory& memory_;
  Copies copies_;
  Remembered end_;
  std::vector<TokenId> output_;
  std::vector<bool> is_new_;  // for each token of the output: whether it was written out of sync
};

}  // namespace

std::unique_ptr<GuessSource> remembered_source(const SourceInputs& inputs) {
  return std::make_unique<RememberedSource>(inputs);
}

}  // namespace redraft
