#pragma once

#include <random>
#include <span>
#include <vector>

#include "bench/methods/phrase_pool.h"
#include "decoding/draft_tree.h"
#include "decoding/language_model.h"
#include "support/token.h"

namespace redraft {

// The lookahead branch of Lookahead decoding (Fu et al. 2024, section 3.1): a window of `width`
// columns, each with the tokens that the last `n - 1` Jacobi iterations wrote for positions ahead.
// One pass over its tokens is one iteration and yields an n-gram for every column.
class LookaheadWindow {
 public:
  struct Options {
    int width = 15;  // W, at least 2; 0: there is no window
    int n = 5;       // N, at least 3
    int seed = 0;    // seed of the initial tokens
  };

  // Begins with random tokens of `prompt`, and replaces each of `stop_tokens` with more of them. If
  // the prompt has only stop tokens, there is no window.
  LookaheadWindow(const Options& options, std::span<const TokenId> prompt,
                  std::span<const TokenId> stop_tokens);

  int size() const;  // in nodes; 0: there is no window
  // Adds the window to an empty tree, after the context's last token.
  void add_to(DraftTree& tree) const;
  // After a pass whose tree began with the window: adds the new n-grams to `pool` and moves the
  // window by one position. `predictions` are those of all rows, `last` is the context's last token
  // of that pass.
  void advance(TokenId last, const Predictions& predictions, PhrasePool& pool);
  // Whether the last iteration yielded n-grams: the first n - 2 only fill the window.
  bool full() const { return static_cast<int>(levels_.size()) == n_ - 1; }

 private:
  TokenId any_token();
  // The model's predictions after each token of the last level. The column of the context's last
  // token is included only if that level has one.
  std::vector<TokenId> results(const Predictions& predictions) const;
  void replace_stop_tokens(std::vector<TokenId>& tokens);

  int n_;
  std::minstd_rand random_;
  std::vector<TokenId> tokens_;  // of the prompt, without stop tokens
  std::vector<TokenId> stop_tokens_;
  // levels_[0][i] is i + 1 positions after the context's last token, which is its first column;
  // levels_[l][i] is i + l positions after it, and follows levels_[l - 1] of the same column.
  std::vector<std::vector<TokenId>> levels_;
};

}  // namespace redraft
