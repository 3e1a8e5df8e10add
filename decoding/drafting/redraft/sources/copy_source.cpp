#include "decoding/drafting/redraft/sources/copy_source.h"

#include "decoding/drafting/redraft/sources/copies.h"

namespace redraft {
namespace {

constexpr GuessKind kCopied("copied", DraftOrigin::kCopy,
                            WhenFirst(.05, .26, .43, .54, .63, .67, .78, .86, .91, .95, .94),
                            WhenLater(.03, .15, .24, .34, .40, .40, .50, .50, .50, .50, .50));

class CopySource final : public SourceWith<SuffixAutomaton::Cursor> {
 public:
  explicit CopySource(const SourceInputs& inputs) : copies_(inputs.kinds.add(kCopied)) {
    for (const TokenId token : inputs.request.prompt) text_.append(token);
  }

  void follow(const Branch& end) override { text_.append(end.tokens.back()); }

  SuffixAutomaton::Cursor at_end() const override { return text_.end(); }
  SuffixAutomaton::Cursor advance(SuffixAutomaton::Cursor at, const Branch& branch) const override {
    return text_.advance(at, branch.tokens.back());
  }
  void add_guesses(const SuffixAutomaton::Cursor& at, const Branch&,
                   std::vector<Guess>& out) const override {
    copies_.add(text_, at, out);
  }

 private:
  SuffixAutomaton text_;  // prompt and output
  Copies copies_;
};

}  // namespace

std::unique_ptr<GuessSource> copy_source(const SourceInputs& inputs) {
  return std::make_unique<CopySource>(inputs);
}

}  // namespace redraft
