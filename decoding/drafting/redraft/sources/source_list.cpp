// How to add a drafting source
//
// A source is a pair of files in this folder, named in the list below and in CMakeLists.txt;
// nothing else needs to know it. Suppose you want to try "the last token repeats". repetition.h
// declares its maker, as copy_source.h does, and repetition.cpp is all the rest:
//
//   constexpr GuessKind kRepeated("repeated", DraftOrigin::kCopy, WhenFirst::same(.2),
//                                 WhenLater::same(.1));
//
//   class Repetition final : public StatelessSource {
//    public:
//     explicit Repetition(const SourceInputs& inputs) : repeated_(inputs.kinds.add(kRepeated)) {}
//     void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
//       out.push_back({branch.tokens.back(), repeated_, 1});
//     }
//
//    private:
//     GuessKindId repeated_;
//   };
//
//   std::unique_ptr<GuessSource> repetition(const SourceInputs& inputs) {
//     return std::make_unique<Repetition>(inputs);
//   }
//
// A kind is a reason to guess. Guesses of a kind with the same `match` are equally likely to be
// right; a source may have several kinds. Priors need not be good, because each decode corrects
// them by what it observes: begin with same(), and once you have measured, give a probability for
// each of the MatchBuckets. You cannot forget anything: a kind without a name, an origin or any
// prior does not compile, and a guess needs a kind that was added. A source that needs to know more
// about a branch than its last tokens, such as its position in the source's own text, derives from
// SourceWith<State> (copy_source.cpp). State that it keeps from request to request is a part of
// SourceMemory (recycled_source.cpp). If a request gives it nothing to guess from, its maker
// returns null (indentation.cpp).
//
// Then run decoding_test, which checks the kinds of every source in the list, and measure the gain:
// `redraft bench edits --replay` before and after (tokens a pass, `priced` and us/pass).

#include "decoding/drafting/redraft/sources/source_list.h"

#include "decoding/drafting/redraft/sources/copy_source.h"
#include "decoding/drafting/redraft/sources/indentation.h"
#include "decoding/drafting/redraft/sources/open_file_source.h"
#include "decoding/drafting/redraft/sources/original_source.h"
#include "decoding/drafting/redraft/sources/proposal_source.h"
#include "decoding/drafting/redraft/sources/recycled_source.h"
#include "decoding/drafting/redraft/sources/remembered_source.h"
#include "decoding/drafting/redraft/sources/retrieved_text.h"

namespace redraft {
namespace {

constexpr SourceMaker kSources[] = {
    original_source,        // the original at the pointer, and substitutions in it
    model_proposal_source,  // the draft model's proposal
    head_proposal_source,   // the draft head's proposal
    retrieval_source,       // the datastores of the request
    indentation_source,     // the white space at the beginning of a line
    recycled_source,        // predictions after the same token of another draft
    copy_source,            // prompt and output
    remembered_source,      // the output of earlier requests
    rest_of_file_source,    // the parts of the file being written that the prompt does not show
    open_file_source,       // the other open files
};

}  // namespace

std::span<const SourceMaker> all_sources() { return kSources; }

}  // namespace redraft
