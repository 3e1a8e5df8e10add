#include "decoding/drafting/redraft/sources/original_source.h"

namespace redraft {
namespace {

constexpr int kNear = 64;   // tokens after the pointer that count as a little ahead
constexpr int kPlaces = 6;  // positions considered for each guess

// The original at the pointer; the `match` is that of the pointer.
constexpr GuessKind kInSync("in sync", DraftOrigin::kReuse,
                            WhenFirst(.96, .97, .94, .93, .81, .84, .89, .94, .972, .985, .997),
                            WhenLater::same(.70));
// In sync: the original at another position.
constexpr GuessKind kElsewhere("elsewhere", DraftOrigin::kReuse,
                               WhenFirst(.05, .10, .15, .20, .25, .30, .30, .30, .30, .30, .30),
                               WhenLater(.05, .10, .15, .20, .25, .30, .30, .30, .30, .30, .30));
// Out of sync: the original a little after the position where the output left it.
constexpr GuessKind kAhead("ahead", DraftOrigin::kReuse,
                           WhenFirst(.10, .35, .57, .73, .83, .87, .91, .96, .98, .985, .995),
                           WhenLater(.05, .21, .18, .30, .40, .40, .40, .40, .40, .40, .40));
// Out of sync: the original further after that position.
constexpr GuessKind kFar("far", DraftOrigin::kReuse,
                         WhenFirst(.05, .20, .36, .50, .66, .75, .88, .93, .96, .97, .98),
                         WhenLater(.02, .05, .13, .13, .20, .20, .30, .30, .30, .30, .30));
// Out of sync: the original before that position.
constexpr GuessKind kBehind("behind", DraftOrigin::kReuse,
                            WhenFirst(.05, .20, .26, .63, .68, .77, .84, .93, .96, .96, .96),
                            WhenLater(.02, .07, .12, .35, .40, .40, .40, .40, .40, .40, .40));
// Out of sync: the original one token later, as if one token had been replaced by another. Such an
// edit leaves no match to go by.
constexpr GuessKind kReplaced("replaced", DraftOrigin::kReuse, WhenFirst::same(.22),
                              WhenLater::same(.23));
// The replacement made earlier for the text at the pointer; the `match` is how often it was made.
constexpr GuessKind kSubstituted("substituted", DraftOrigin::kSubstitution,
                                 WhenFirst(.05, .50, .92, .95, .95, .95, .95, .95, .95, .95, .95),
                                 WhenLater(.05, .50, .80, .80, .80, .80, .80, .80, .80, .80, .80));
// The original at the pointer, although there is a replacement for it.
constexpr GuessKind kUnsubstituted("unsubstituted", DraftOrigin::kReuse,
                                   WhenFirst(.95, .45, .30, .20, .20, .20, .20, .20, .20, .20, .20),
                                   WhenLater(.90, .90, .80, .80, .80, .80, .80, .80, .80, .80,
                                             .80));
// The rest of a substitution in progress; the `match` is how much of it is written.
constexpr GuessKind kSubstituting("substituting", DraftOrigin::kSubstitution,
                                  WhenFirst(.80, .80, .90, .90, .95, .95, .95, .95, .95, .95, .95),
                                  WhenLater::same(.50));

class OriginalSource final : public StatelessSource {
 public:
  explicit OriginalSource(const SourceInputs& inputs)
      : original_(inputs.original),
        in_sync_(inputs.kinds.add(kInSync)),
        elsewhere_(inputs.kinds.add(kElsewhere)),
        ahead_(inputs.kinds.add(kAhead)),
        far_(inputs.kinds.add(kFar)),
        behind_(inputs.kinds.add(kBehind)),
        replaced_(inputs.kinds.add(kReplaced)),
        substituted_(inputs.kinds.add(kSubstituted)),
        unsubstituted_(inputs.kinds.add(kUnsubstituted)),
        substituting_(inputs.kinds.add(kSubstituting)) {}

  void add_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    const OriginalState& at = branch.original;
    if (at.in_sync) return add_at_pointer(at, out);
    if (at.astray == 1) add(at.pointer + 1, replaced_, 0, out);
    for (const SuffixIndex::Match& match :
         original_.places_after(branch.output, at.pointer, kPlaces))
      add(match.next, kind_of(match.next, at.pointer), match.length, out);
  }

  void add_unlikely_guesses(const Branch& branch, std::vector<Guess>& out) const override {
    const OriginalState& at = branch.original;
    for (const SuffixIndex::Match& match :
         original_.places_after(branch.output, at.pointer, kPlaces)) {
      if (match.next != at.pointer) add(match.next, elsewhere_, match.length, out);
    }
  }

 private:
  GuessKindId kind_of(int place, int pointer) const {
    if (place < pointer) return behind_;
    return place <= pointer + kNear ? ahead_ : far_;
  }

  void add_at_pointer(const OriginalState& at, std::vector<Guess>& out) const {
    const Substitutions& substitutions = original_.substitutions();
    if (at.substitution >= 0) {
      const auto to = substitutions.to(at.substitution);
      out.push_back({to[static_cast<std::size_t>(at.written)], substituting_, at.written});
      return;
    }
    const int applicable = substitutions.applicable(original_.rest(at.pointer));
    if (applicable < 0) return add(at.pointer, in_sync_, at.match, out);
    const int strength = substitutions.strength(applicable);
    out.push_back({substitutions.to(applicable)[0], substituted_, strength});
    add(at.pointer, unsubstituted_, strength, out);
  }

  void add(int place, GuessKindId kind, int match, std::vector<Guess>& out) const {
    const auto rest = original_.rest(place);
    if (!rest.empty()) out.push_back({rest[0], kind, match});
  }

  const OriginalTracker& original_;
  GuessKindId in_sync_, elsewhere_, ahead_, far_, behind_, replaced_;
  GuessKindId substituted_, unsubstituted_, substituting_;
};

}  // namespace

std::unique_ptr<GuessSource> original_source(const SourceInputs& inputs) {
  return std::make_unique<OriginalSource>(inputs);
}

}  // namespace redraft
