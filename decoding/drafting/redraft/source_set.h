#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// The states of all sources at one position: bytes that only SourceSet interprets.
using SourceStates = std::vector<std::byte>;

// The last tokens at the end of a text or branch: Branch::kTokens of them, or all if there are
// fewer.
struct Tail {
  std::span<const TokenId> tokens;  // of prompt and output
  std::span<const TokenId> output;  // the part of them that is output
};

// The sources of one decode combined into one. It follows the output along the original, which
// tells all sources whether an edit is in progress.
class SourceSet {
 public:
  // `memory`, `tokenizer` (may be null) and the objects that `proposals` points to outlive this.
  SourceSet(std::span<const SourceMaker> makers, const DecodeRequest& request, SourceMemory& memory,
            const Tokenizer* tokenizer = nullptr, const Proposals& proposals = {});
  SourceSet(const SourceSet&) = delete;
  SourceSet& operator=(const SourceSet&) = delete;

  const GuessKinds& kinds() const { return kinds_; }

  // These follow the output; see GuessSource. `context` is prompt and output.
  void follow(std::span<const TokenId> context);
  void prepare(std::span<const TokenId> context);
  void observe(const VerifiedDraft& pass);
  SourceStates at_end() const;

  // For branches, whose states take this many bytes.
  std::size_t state_bytes() const { return state_bytes_; }
  // Computes `next` from `states`; `tail` ends with the token that came after `states`.
  void advance(const std::byte* states, const Tail& tail, std::byte* next) const;
  void add_guesses(const std::byte* states, const Tail& tail, std::vector<Guess>& out) const;
  void add_unlikely_guesses(const std::byte* states, const Tail& tail,
                            std::vector<Guess>& out) const;
  bool foresees(const std::byte* states, const Tail& tail) const;

 private:
  struct Member {
    std::unique_ptr<GuessSource> source;
    std::size_t offset;  // of its state
  };
  Branch end_of(std::span<const TokenId> context) const;

  std::size_t prompt_size_;
  OriginalTracker original_;
  OriginalState at_end_;  // the position in the original of the end of the output
  GuessKinds kinds_;
  std::vector<Member> members_;
  std::vector<const Member*> stateful_;  // the members that have a state
  std::size_t state_bytes_ = sizeof(OriginalState);
};

}  // namespace redraft
