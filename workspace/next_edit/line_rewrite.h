// The common part of two changed lines, as a rule for others.
//
// If `GetInt(key any) (i int) {` became `GetInt(key any) int {`, and a GetBool was changed alike,
// the rule is that `(key any) (X Y) {` becomes `(key any) Y {`: the least general rule that makes
// both changes. Pieces in which the two lines differ are holes. The text around the changes is a
// condition as far as it is the same in both. This is anti-unification (Plotkin, A note on
// inductive generalization, 1970), used as in Miltner et al., On the fly synthesis of edit
// suggestions (OOPSLA 2019), but on the pieces of a line instead of a syntax tree.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/change_history.h"

namespace redraft {

// A line before and after a change, without its indentation.
struct LinePair {
  const RecentChange* change = nullptr;  // the change that it is part of; not owned
  int line = 0;                          // in the current version of the document
  std::string before, after;
};

// The changed lines of the changes, in the order of the changes; the last `most` if there are more.
// They refer to `recent`.
std::vector<LinePair> line_pairs(const std::vector<RecentChange>& recent, std::size_t most);

class LineRewrite {
 public:
  // nullopt if the two changes are not alike, or agree in fewer than two words: then nearly every
  // line would match.
  static std::optional<LineRewrite> learn(const LinePair& a, const LinePair& b);

  // The number of words of two or more letters that a matching line must have.
  int words() const { return words_; }
  // The line rewritten wherever the rule applies, with its indentation; nullopt if the rule does
  // not apply, would change nothing or write what is there already, or if the line is longer than
  // code is. For most lines it only costs a text search.
  std::optional<std::string> apply(std::string_view line) const;

 private:
  using Pieces = std::span<const std::string_view>;
  // Fixed pieces, or a hole.
  struct Part {
    std::vector<std::string> pieces;
    int hole = -1;
  };
  // The texts seen in a hole determine what it may match.
  struct Hole {
    bool is_word = true;     // a single word
    std::string separators;  // blanks, commas and semicolons that it may contain
  };
  struct Match;
  struct Learner;

  // Whether the rule's parts from `part` on match the pieces from `at` on.
  bool matches_from(Pieces pieces, std::size_t part, std::size_t at, Match& match) const;
  bool matches_hole(Pieces pieces, std::size_t part, std::size_t at, Match& match) const;
  bool may_hold(const Hole& hole, Pieces pieces) const;
  std::string written(const Match& match) const;

  std::vector<Part> from_, to_;
  std::string fixed_;  // the longest text without a hole that a line must contain
  std::vector<Hole> holes_;
  int words_ = 0;
  bool is_from_start_ = false, is_to_end_ = false;  // of the line
};

}  // namespace redraft
