// What two lines that a user changed have in common, as a rule for others.
//
// From `GetInt(key any) (i int) {` that became `GetInt(key any) int {`, and a GetBool that was
// changed alike, follows that `(key any) (X Y) {` becomes `(key any) Y {`: the least general rule
// that makes both changes. Pieces in which the two lines differ are holes, and what stands around
// the changes is a condition as far as it is the same in both. It is what anti-unification gives
// (Plotkin, A note on inductive generalization, 1970), used here as in Miltner et al., On the fly
// synthesis of edit suggestions (OOPSLA 2019), on the pieces of a line instead of a syntax tree.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/change_history.h"

namespace redraft {

// A line before and after a change, without what it is indented by.
struct LinePair {
  const RecentChange* change = nullptr;  // it is a part of; not owned
  int line = 0;                          // in the document as it is now
  std::string before, after;
};

// The lines of the changes that became another line, in the order of the changes; of more than
// `most` the last. They refer to `recent`.
std::vector<LinePair> line_pairs(const std::vector<RecentChange>& recent, std::size_t most);

class LineRewrite {
 public:
  // Nothing if the two changes are not alike, or agree in fewer than two words: then nearly every
  // line would do.
  static std::optional<LineRewrite> learn(const LinePair& a, const LinePair& b);

  // How many words of two letters or more a line has to have for it.
  int words() const { return words_; }
  // The line rewritten wherever the rule applies, indented as it was; nothing if it does not apply,
  // would change nothing or write what stands there already, or the line is longer than code is.
  // Most lines cost a search for a text.
  std::optional<std::string> apply(std::string_view line) const;

 private:
  using Pieces = std::span<const std::string_view>;
  // Fixed pieces, or a hole.
  struct Part {
    std::vector<std::string> pieces;
    int hole = -1;
  };
  // What stood in a hole tells what may stand there.
  struct Hole {
    bool is_word = true;     // a single word
    std::string separators;  // blanks, commas and semicolons that may be in it
  };
  struct Match;
  struct Learner;

  bool matches_from(Pieces pieces, std::size_t part, std::size_t at, Match& match) const;
  bool may_hold(const Hole& hole, Pieces pieces) const;
  std::string written(const Match& match) const;

  std::vector<Part> from_, to_;
  std::string fixed_;  // the longest text without a hole that a line has to have
  std::vector<Hole> holes_;
  int words_ = 0;
  bool is_from_start_ = false, is_to_end_ = false;  // of the line
};

}  // namespace redraft
