#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/draft_source.h"
#include "decoding/drafting/redraft/sources/guess.h"
#include "decoding/drafting/redraft/sources/original_tracker.h"
#include "decoding/drafting/redraft/sources/source_memory.h"
#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// The end of the written text, or of a branch of a draft.
struct Branch {
  // A guess at a branch may look at this many of its last tokens; earlier ones are not kept.
  static constexpr std::size_t kTokens = SuffixIndex::kLongestMatch;

  std::span<const TokenId> tokens;  // the last ones, of prompt and output
  std::span<const TokenId> output;  // the part of them that is output
  OriginalState original;           // the branch's position in the original
};

// One way to guess the next token, at the end of the output and at the end of every branch that a
// draft tries. A new source derives from SourceWith or StatelessSource, and overrides only what it
// needs.
//
// Along the output, follow() sees every token that is written, prepare() is called before each
// draft and observe() after each pass. At branches the source must not change: several branches are
// tried in any order, and each carries its own State.
class GuessSource {
 public:
  virtual ~GuessSource() = default;

  // Called along the output, where `end` has all of prompt and output, not only the last tokens.
  // follow(): a token was written, the last one of `end`; called for each token in turn.
  virtual void follow(const Branch& /*end*/) {}
  // Called before a draft is made at `end`. Slow searches belong here.
  virtual void prepare(const Branch& /*end*/) {}
  // The target has verified a draft.
  virtual void observe(const VerifiedDraft& /*pass*/) {}

  // For branches that are in sync with the original: tokens that may follow but are never nearly
  // certain. Not called where another guess is nearly certain.
  virtual void add_unlikely_guesses(const Branch& /*branch*/, std::vector<Guess>& /*out*/) const {}
  // Whether the guesses at `branch` need nothing that prepare() can only find once the output is
  // written.
  virtual bool foresees(const Branch& /*branch*/) const { return true; }

  // The State of a SourceWith, in bytes.
  virtual std::size_t state_bytes() const = 0;
  virtual void put_end(std::byte* state) const = 0;
  virtual void put_next(const std::byte* state, const Branch& branch, std::byte* next) const = 0;
  virtual void guess(const std::byte* state, const Branch& branch,
                     std::vector<Guess>& out) const = 0;
};

// A source with a position in each branch, its State. A State is plain data of a few bytes, because
// each branch carries one, and depends only on the branch's tokens.
template <typename State>
class SourceWith : public GuessSource {
  static_assert(std::is_trivially_copyable_v<State>);

 public:
  // The state at the end of the output.
  virtual State at_end() const = 0;
  // The state of `branch`, which ends with the token that came after `state`.
  virtual State advance(State state, const Branch& branch) const = 0;
  // Appends guesses at what follows `branch`; a token may be guessed more than once.
  virtual void add_guesses(const State& state, const Branch& branch,
                           std::vector<Guess>& out) const = 0;

 private:
  static State taken(const std::byte* from) {
    State state;
    std::memcpy(&state, from, sizeof state);
    return state;
  }
  static void put(const State& state, std::byte* to) { std::memcpy(to, &state, sizeof state); }

  std::size_t state_bytes() const final { return sizeof(State); }
  void put_end(std::byte* state) const final { put(at_end(), state); }
  void put_next(const std::byte* state, const Branch& branch, std::byte* next) const final {
    put(advance(taken(state), branch), next);
  }
  void guess(const std::byte* state, const Branch& branch, std::vector<Guess>& out) const final {
    add_guesses(taken(state), branch, out);
  }
};

// A source that only needs a branch's last tokens.
class StatelessSource : public GuessSource {
 public:
  virtual void add_guesses(const Branch& branch, std::vector<Guess>& out) const = 0;

 private:
  std::size_t state_bytes() const final { return 0; }
  void put_end(std::byte*) const final {}
  void put_next(const std::byte*, const Branch&, std::byte*) const final {}
  void guess(const std::byte*, const Branch& branch, std::vector<Guess>& out) const final {
    add_guesses(branch, out);
  }
};

// One position of a Proposal: a token, and possibly an alternative to it.
struct ProposedPlace {
  TokenId token = 0;
  int match = 0;       // as in Guess
  TokenId other = -1;  // -1: none
  int other_match = 0;
};

// The proposal of a Proposer for the current pass, position by position.
using Proposal = std::vector<ProposedPlace>;

// The proposals for the current pass; null: there is no such proposer.
struct Proposals {
  const Proposal* model = nullptr;  // of the draft model
  const Proposal* head = nullptr;   // of the target's draft head
};

// The inputs of the sources of one decode. All of them, except the struct itself, outlive the
// sources.
struct SourceInputs {
  const DecodeRequest& request;
  const Tokenizer* tokenizer;       // null: the text of the tokens is unknown
  const OriginalTracker& original;  // follows the output along the request's original
  Proposals proposals;
  SourceMemory& memory;
  GuessKinds& kinds;  // sources add their kinds to it
};

// Makes a source. Returns null if the request gives that source nothing to guess from.
using SourceMaker = std::unique_ptr<GuessSource> (*)(const SourceInputs& inputs);

// The last tokens of the prompt: how far back matches in other texts may extend into it.
std::span<const TokenId> prompt_end(const DecodeRequest& request);

}  // namespace redraft
