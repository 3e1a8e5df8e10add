// Why the window is a tree
//
// In the paper a token of the window sees the context, the oldest level up to its own column, and
// the tokens of its column on the levels between. With W = 4 and N = 4 (levels 0, 1, 2; places
// ahead of the last token "t"; digits are columns):
//
//   place     0    1    2    3    4    5
//   level 0   t    a1   a2   a3
//   level 1        b0   b1   b2   b3
//   level 2             c0   c1   c2   c3
//
// "c2" sees t, a1, a2, then b2, then itself. So level 0 is a chain after the context, and each
// column hangs from its token of level 0 as a chain of its own: b2 is a child of a2, c2 of b2.
// Ancestors and depths in this tree are just the paper's mask and positions. The pass predicts d2
// after c2, which completes the 4-gram "a2 b2 c2 d2". Then level 0 is dropped, b becomes the oldest
// level, d the newest, and "t" makes way for the next token: b0 goes too.

#include "bench/methods/lookahead_window.h"

#include <algorithm>
#include <utility>

namespace redraft {

LookaheadWindow::LookaheadWindow(const Options& options, std::span<const TokenId> prompt,
                                 std::span<const TokenId> stop_tokens)
    : n_(options.n),
      random_(static_cast<std::minstd_rand::result_type>(options.seed) + 1),
      stop_tokens_(stop_tokens.begin(), stop_tokens.end()) {
  std::ranges::copy_if(prompt, std::back_inserter(tokens_), [&](TokenId token) {
    return std::ranges::find(stop_tokens_, token) == stop_tokens_.end();
  });
  if (tokens_.empty() || options.width == 0) return;
  // Each of the n - 2 iterations that fill the window takes one token off this level.
  std::vector<TokenId>& oldest = levels_.emplace_back();
  for (int i = 0; i < options.width + n_ - 3; ++i) oldest.push_back(any_token());
}

int LookaheadWindow::size() const {
  std::size_t size = 0;
  for (const std::vector<TokenId>& level : levels_) size += level.size();
  return static_cast<int>(size);
}

void LookaheadWindow::add_to(DraftTree& tree) const {
  int above = 0;  // the first node of the level before
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const int first = tree.size();
    for (int i = 0; i < std::ssize(levels_[level]); ++i) {
      // Levels 0 and 1 lack the node of the context's last token, which is -1.
      const int parent = level < 2 ? i - 1 : above + i;
      tree.add(levels_[level][static_cast<std::size_t>(i)], parent, DraftOrigin::kOther);
    }
    above = first;
  }
}

void LookaheadWindow::advance(TokenId last, const Predictions& predictions, PhrasePool& pool) {
  std::vector<TokenId> newest = results(predictions);
  if (full()) {
    for (std::size_t column = 0; column < newest.size(); ++column) {
      const TokenId first = column == 0 ? last : levels_[0][column - 1];
      std::vector<TokenId> phrase;
      for (std::size_t level = 1; level < levels_.size(); ++level)
        phrase.push_back(levels_[level][column]);
      phrase.push_back(newest[column]);
      pool.add(first, phrase);
    }
    levels_.erase(levels_.begin());
    levels_[0].erase(levels_[0].begin());
  } else {
    // Level 0 has no result for the first column, which is dropped anyway.
    if (levels_.size() > 1) newest.erase(newest.begin());
    for (std::vector<TokenId>& level : levels_) level.erase(level.begin());
  }
  replace_stop_tokens(newest);
  levels_.push_back(std::move(newest));
}

std::vector<TokenId> LookaheadWindow::results(const Predictions& predictions) const {
  const auto count = static_cast<std::ptrdiff_t>(levels_.back().size());
  const auto end = predictions.argmax.begin() + 1 + size();
  return {end - count, end};
}

TokenId LookaheadWindow::any_token() { return tokens_[random_() % tokens_.size()]; }

void LookaheadWindow::replace_stop_tokens(std::vector<TokenId>& tokens) {
  for (TokenId& token : tokens) {
    if (std::ranges::find(stop_tokens_, token) != stop_tokens_.end()) token = any_token();
  }
}

}  // namespace redraft
