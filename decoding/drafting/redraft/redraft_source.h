#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "decoding/cost_curve.h"
#include "decoding/decoder.h"
#include "decoding/drafting/lookup/suffix_automaton.h"
#include "decoding/drafting/redraft/indentation.h"
#include "decoding/drafting/redraft/model_proposer.h"
#include "decoding/drafting/redraft/original_tracker.h"
#include "decoding/drafting/redraft/priced_draft.h"
#include "decoding/drafting/redraft/redraft_memory.h"
#include "decoding/drafting/redraft/redraft_options.h"
#include "decoding/drafting/redraft/retrieved_text.h"
#include "decoding/phase.h"
#include "support/token.h"

namespace redraft {

// The default. Every source guesses at every place of one tree: the original from where the output
// stands in it and what was substituted in it before, the longest matches of the output's end
// anywhere in prompt, output, earlier outputs and the request's datastores, how lines are indented,
// and what the target said to other drafts. PricedDraft decides how far the tree grows.
class RedraftSource : public DraftSource, private Guesser {
 public:
  // `memory` and `tokenizer` (may be null) outlive this; what is written goes into the memory at
  // the end.
  RedraftSource(const DecodeRequest& request, const RedraftOptions& options, RedraftMemory& memory,
                const Tokenizer* tokenizer, std::unique_ptr<ModelProposer> model = nullptr);
  ~RedraftSource() override;

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void look_ahead() override;
  void observe(const VerifiedDraft& pass) override;

 private:
  int tail_length() const override { return SuffixIndex::kLongestMatch; }
  GuessState advance(const GuessState& state, const Tail& tail) const override;
  void add_guesses(const GuessState& state, const Tail& tail,
                   std::vector<Guess>& guesses) const override;
  void add_unlikely_guesses(const GuessState& state, const Tail& tail,
                            std::vector<Guess>& guesses) const override;
  bool foresees(const GuessState& state) const override;
  GuessState follow_elsewhere(GuessState state, TokenId token) const;
  void absorb(std::span<const TokenId> context);
  void retrieve(std::span<const TokenId> context);

  std::size_t prompt_size_;
  RedraftMemory& memory_;
  SuffixAutomaton text_;  // prompt and output
  RetrievedText repository_, common_;
  OriginalTracker original_;
  std::optional<Indentation> indentation_;
  GuessState state_;  // of the end of the output
  std::vector<TokenId> output_;
  std::vector<bool> is_new_;  // of the output's tokens: written while out of sync
  PricedDraft priced_;
  std::unique_ptr<ModelProposer> model_;  // null: there is none
  std::vector<TokenId> proposal_;         // of the draft model, for the pass under way
  mutable std::vector<SuffixAutomaton::Next> found_;
};

}  // namespace redraft
