#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/drafting/lookup/suffix_automaton.h"
#include "support/token.h"

namespace redraft {

// Why a token is thought to come next.
enum class GuessKind : std::uint8_t {
  kInSync,         // the original at the pointer
  kElsewhere,      // the original at another place, while in sync
  kAhead,          // out of sync: the original a little after the place where the output left it
  kFar,            // further after it
  kBehind,         // before it
  kReplaced,       // one token after the output left the original, as if it replaced one
  kSubstituted,    // what stood for the original at the pointer before
  kUnsubstituted,  // the original at the pointer where a substitution might stand
  kSubstituting,   // the rest of a substitution
  kCopy,           // an earlier place of prompt or output
  kRemembered,     // what earlier requests wrote
  kIndentation,    // the blanks that a new line begins with
  kRecycled,       // what the target predicted after the same token of another draft
  kModel,          // what the draft model proposes
  kOpenFile,       // another open file
  kRetrieved,      // what a datastore has after the output's end
};
inline constexpr int kGuessKinds = 16;

constexpr DraftOrigin origin_of(GuessKind kind) {
  switch (kind) {
    case GuessKind::kSubstituted:
    case GuessKind::kSubstituting:
      return DraftOrigin::kSubstitution;
    case GuessKind::kCopy:
    case GuessKind::kOpenFile:
      return DraftOrigin::kCopy;
    case GuessKind::kRemembered:
      return DraftOrigin::kCache;
    case GuessKind::kIndentation:
      return DraftOrigin::kLayout;
    case GuessKind::kRecycled:
      return DraftOrigin::kRecycled;
    case GuessKind::kRetrieved:
      return DraftOrigin::kRetrieval;
    case GuessKind::kModel:
      return DraftOrigin::kModel;
    default:
      return DraftOrigin::kReuse;
  }
}

struct Guess {
  TokenId token;
  GuessKind kind;
  int match;  // tokens before it that agree; another measure of confidence where the kind says so
};

// Where the output stands in the original.
struct OriginalState {
  bool in_sync = true;
  int pointer = 0;        // where the original goes on; out of sync, where the output left it
  int match = 0;          // tokens before the pointer that agree with the output
  int astray = 0;         // tokens written since the output left the original
  int substitution = -1;  // the one that is being written, in sync until it is done
  int written = 0;        // tokens of it that are
};

// Those of the retrieved continuations that a branch agrees with, and how far.
struct RetrievedRange {
  int begin = 0;
  int end = 0;
  int depth = 0;
};

// What guesses go by at the end of the output. Follows from the tokens alone, so the branches of a
// draft carry one each.
struct GuessState {
  OriginalState original;
  SuffixAutomaton::Cursor text;         // in prompt and output
  SuffixAutomaton::Cursor recent, old;  // in what is remembered of earlier requests
  SuffixAutomaton::Cursor open;         // in the other open files
  RetrievedRange repository, common;
  int proposed = 0;  // tokens of the draft model's proposal so far; -1: left it
};

// The end of what is written, or of a branch of a draft.
struct Tail {
  std::span<const TokenId> tokens;  // of prompt and output
  std::span<const TokenId> output;  // those of them that are output
};

// Guesses one token at a time, at the end of the output and at that of every branch that a draft
// tries.
class Guesser {
 public:
  virtual ~Guesser() = default;
  // The most tokens that a Tail needs to hold.
  virtual int tail_length() const = 0;
  // `tail` ends with the token that came after `state`.
  virtual GuessState advance(const GuessState& state, const Tail& tail) const = 0;
  // Appends what may follow `tail`; a token may come more than once.
  virtual void add_guesses(const GuessState& state, const Tail& tail,
                           std::vector<Guess>& guesses) const = 0;
  // Likewise what is never nearly certain and takes longer to find. Not asked for where a guess is.
  virtual void add_unlikely_guesses(const GuessState& /*state*/, const Tail& /*tail*/,
                                    std::vector<Guess>& /*guesses*/) const {}
  // Whether guesses at `state` need nothing that is looked up only once the output is there.
  virtual bool foresees(const GuessState& /*state*/) const { return true; }
};

}  // namespace redraft
