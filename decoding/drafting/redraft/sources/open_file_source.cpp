#include "decoding/drafting/redraft/sources/open_file_source.h"

#include "decoding/drafting/lookup/open_text.h"
#include "decoding/drafting/redraft/sources/copies.h"

namespace redraft {
namespace {

constexpr GuessKind kOpenFile("open file", DraftOrigin::kCopy,
                              WhenFirst(.05, .12, .20, .27, .37, .41, .48, .68, .85, .90, .95),
                              WhenLater(.02, .06, .12, .13, .17, .18, .21, .30, .40, .40, .40));

constexpr GuessKind kRestOfFile("rest of file", DraftOrigin::kCopy,
                                WhenFirst(.05, .20, .28, .41, .50, .55, .73, .75, .82, .94, .92),
                                WhenLater(.03, .12, .22, .20, .33, .36, .40, .40, .40, .40, .40));

// Each is kept separately: the rest of the file changes when the cursor moves far, the other files
// do not.
struct RestText : OpenText {};

class OpenFileSource final : public SourceWith<SuffixAutomaton::Cursor> {
 public:
  OpenFileSource(const SourceInputs& inputs, const SuffixAutomaton& files, const GuessKind& kind)
      : files_(files), copies_(inputs.kinds.add(kind)) {
    for (const TokenId token : prompt_end(inputs.request)) end_ = files_.advance(end_, token);
  }

  void follow(const Branch& end) override { end_ = files_.advance(end_, end.tokens.back()); }

  SuffixAutomaton::Cursor at_end() const override { return end_; }
  SuffixAutomaton::Cursor advance(SuffixAutomaton::Cursor at, const Branch& branch) const override {
    return files_.advance(at, branch.tokens.back());
  }
  void add_guesses(const SuffixAutomaton::Cursor& at, const Branch&,
                   std::vector<Guess>& out) const override {
    copies_.add(files_, at, out);
  }

 private:
  const SuffixAutomaton& files_;
  Copies copies_;
  SuffixAutomaton::Cursor end_;
};

}  // namespace

std::unique_ptr<GuessSource> open_file_source(const SourceInputs& inputs) {
  auto& open = inputs.memory.part<OpenText>();
  open.follow(inputs.request.open_files);
  if (open.text().size() == 0) return nullptr;
  return std::make_unique<OpenFileSource>(inputs, open.text(), kOpenFile);
}

std::unique_ptr<GuessSource> rest_of_file_source(const SourceInputs& inputs) {
  auto& rest = inputs.memory.part<RestText>();
  rest.follow(inputs.request.rest_of_file);
  if (rest.text().size() == 0) return nullptr;
  return std::make_unique<OpenFileSource>(inputs, rest.text(), kRestOfFile);
}

}  // namespace redraft
