#pragma once

#include <cstddef>
#include <span>

#include "bench/methods/lookahead_window.h"
#include "bench/methods/phrase_pool.h"
#include "decoding/draft_source.h"

namespace redraft {

struct LookaheadOptions {
  LookaheadWindow::Options window;
  int guesses = 15;             // G: n-grams kept per token and verified in a pass
  bool pool_from_text = false;  // the n-grams of prompt and output enter the pool, too
};

// Lookahead decoding (Fu et al. 2024): in each pass the window makes new n-grams (the lookahead
// branch), and the n-grams of the pool that begin with the last token are verified.
class LookaheadSource : public DraftSource {
 public:
  LookaheadSource(const LookaheadOptions& options, std::span<const TokenId> prompt,
                  std::span<const TokenId> stop_tokens);

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void observe(const VerifiedDraft& pass) override;

 private:
  void learn(std::span<const TokenId> context);

  LookaheadOptions options_;
  LookaheadWindow window_;
  PhrasePool pool_;
  bool in_pass_ = false;     // whether the window is part of the last draft
  TokenId last_ = 0;         // last token of the context of that draft
  std::size_t learned_ = 0;  // tokens of the context whose n-grams are in the pool
};

}  // namespace redraft
