#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "bench/methods/lookahead_window.h"
#include "bench/methods/phrase_pool.h"
#include "decoding/decoder.h"
#include "decoding/decoder_memory.h"
#include "decoding/draft_source.h"
#include "decoding/drafting/methods/draft_reader.h"

namespace redraft {

struct OuroborosOptions {
  LookaheadWindow::Options window = {.width = 20,
                                     .n = 7};  // of the draft model; phrases have n - 1 tokens
  int gamma = 12;                              // tokens that the draft model proposes
  int guesses = 20;  // phrases kept per token and verified by the draft model
  int suffixes = 3;  // phrases that extend a draft
};

// The state that Ouroboros keeps from request to request: the phrases.
class OuroborosState : public DecoderMemory::State {
 public:
  explicit OuroborosState(const OuroborosOptions& options) : pool(options.guesses) {}

  PhrasePool pool;
};

// Ouroboros (Zhao et al. 2024). The draft model drafts phrase by phrase, by Lookahead decoding.
// Phrases that may follow its last token extend the draft. The phrases are the target's predictions
// within rejected drafts, and the draft model's n-grams.
class OuroborosSource : public DraftSource {
 public:
  // `pool` outlives the source. `stop` is checked before every pass of the model; once it is set
  // there is no draft.
  OuroborosSource(const OuroborosOptions& options, ModelSlot draft, std::span<const TokenId> prompt,
                  std::span<const TokenId> stop_tokens, std::stop_token stop, PhrasePool& pool);

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void observe(const VerifiedDraft& pass) override;

 private:
  std::vector<TokenId> propose(std::span<const TokenId> context, int most);
  std::vector<TokenId> run_draft_model(std::span<const TokenId> text);
  bool is_stop(TokenId token) const;

  OuroborosOptions options_;
  ModelSlot slot_;
  std::vector<TokenId> stop_tokens_;
  std::stop_token stop_;
  DraftReader reader_;
  LookaheadWindow window_;
  PhrasePool& pool_;
  int proposed_ =
      0;  // number of nodes of the last draft that the draft model wrote: its first nodes, a chain
};

}  // namespace redraft
