#include "workspace/next_edit/line_rewrite.h"

#include <algorithm>
#include <utility>

#include "text/strings/joined.h"
#include "text/strings/trimmed.h"
#include "workspace/documents/diff.h"
#include "workspace/next_edit/change_words.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxLineBytes = 1000;
constexpr std::size_t kMaxHoles = 4;
// The maximum number of pieces in a hole.
constexpr std::size_t kMaxInHole = 24;
// The maximum number of matching steps per line, so that no line takes long: some 30 microseconds.
constexpr int kMaxSteps = 500;
// The minimum number of words of two or more letters in a rule outside of its holes.
constexpr int kMinWords = 2;

constexpr std::string_view kSeparators = " \t,;", kBrackets = "()[]{}";

using Pieces = std::span<const std::string_view>;

bool is_one_of(std::string_view piece, std::string_view characters) {
  return characters.find(piece.front()) != std::string_view::npos;
}

// Pieces that end an expression, so that a hole does not grow across them.
bool separates(std::string_view piece) {
  return is_one_of(piece, kSeparators) || is_one_of(piece, kBrackets);
}

// Words, every other character, and runs of blanks.
std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  std::size_t end = 0;
  const auto add = [&](std::size_t begin, std::size_t size) {
    if (begin > end) pieces.push_back(line.substr(end, begin - end));
    if (size > 0) pieces.push_back(line.substr(begin, size));
    end = begin + size;
  };
  for (const std::string_view piece : words_of(line))
    add(static_cast<std::size_t>(piece.data() - line.data()), piece.size());
  add(line.size(), 0);
  return pieces;
}

// The text of adjacent pieces of one line.
std::string_view text_of(Pieces pieces) {
  if (pieces.empty()) return {};
  return {pieces.front().data(), pieces.back().data() + pieces.back().size()};
}

// Whether brackets and quotes are closed.
bool is_balanced(Pieces pieces) {
  for (const std::string_view quote : {"\"", "'", "`"}) {
    if (std::ranges::count(pieces, quote) % 2 != 0) return false;
  }
  int depth = 0;
  for (const std::string_view piece : pieces) {
    const std::size_t at = kBrackets.find(piece.front());
    if (at == std::string_view::npos) continue;
    depth += at % 2 == 0 ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth == 0;
}

// Whether the line has `text` around its bytes [begin, end). If the rule would write that text over
// these bytes, the line has followed already.
bool stands_around(std::string_view line, std::size_t begin, std::size_t end,
                   std::string_view text) {
  if (text.size() <= end - begin) return false;
  for (std::size_t at = end - std::min(end, text.size()); at <= begin; ++at) {
    if (line.substr(at).starts_with(text)) return true;
  }
  return false;
}

std::size_t common_prefix(Pieces a, Pieces b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}
std::size_t common_suffix(Pieces a, Pieces b) {
  return static_cast<std::size_t>(std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first -
                                  a.rbegin());
}

// A changed line: the unchanged text to the left and to the right, and the old and the new text
// between. Refers to both texts of the line.
class ChangedLine {
 public:
  explicit ChangedLine(const LinePair& line)
      : before_(pieces_of(line.before)), after_(pieces_of(line.after)) {
    n_left_ = common_prefix(before_, after_);
    n_right_ = common_suffix(Pieces(before_).subspan(n_left_), Pieces(after_).subspan(n_left_));
  }

  Pieces left() const { return Pieces(before_).first(n_left_); }
  Pieces right() const { return Pieces(before_).last(n_right_); }
  Pieces old_text() const { return between(before_); }
  Pieces new_text() const { return between(after_); }

 private:
  Pieces between(Pieces line) const {
    return line.subspan(n_left_, line.size() - n_left_ - n_right_);
  }

  std::vector<std::string_view> before_, after_;
  std::size_t n_left_ = 0, n_right_ = 0;
};

// The unchanged text that two changed lines have in common next to their changes.
struct Context {
  Pieces left, right;
  bool is_from_start = false, is_to_end = false;  // whether it is all that the lines have there
};

Context common_context(const ChangedLine& a, const ChangedLine& b) {
  const auto is_blank = [](std::string_view piece) { return is_one_of(piece, " \t"); };
  const std::size_t n_left = common_suffix(a.left(), b.left());
  const std::size_t n_right = common_prefix(a.right(), b.right());
  Context common{.left = a.left().last(n_left),
                 .right = a.right().first(n_right),
                 .is_from_start = n_left == a.left().size() && n_left == b.left().size(),
                 .is_to_end = n_right == a.right().size() && n_right == b.right().size()};
  // A blank at the outer end is no condition: another line may have a bracket there.
  Pieces& left = common.left;
  if (!common.is_from_start && !left.empty() && is_blank(left.front())) left = left.subspan(1);
  Pieces& right = common.right;
  if (!common.is_to_end && !right.empty() && is_blank(right.back()))
    right = right.first(right.size() - 1);
  return common;
}

// Where two sequences of pieces differ.
struct Difference {
  std::size_t a_begin, a_end, b_begin, b_end;
  bool is_one_sided() const { return a_begin == a_end || b_begin == b_end; }
};

// Extends the hole all[at] to the right, up to the next blank, bracket or comma. If it reaches the
// next hole, the two become one. False: it is not extended.
bool extend_right(std::vector<Difference>& all, std::size_t at, Pieces a) {
  Difference& hole = all[at];
  const bool is_last = at + 1 == all.size();
  const std::size_t limit = is_last ? a.size() : all[at + 1].a_begin;
  const std::size_t end = hole.a_end;
  for (; hole.a_end < limit && !separates(a[hole.a_end]); ++hole.a_end) ++hole.b_end;
  if (is_last || hole.a_end < limit) return hole.a_end > end;
  hole.a_end = all[at + 1].a_end;
  hole.b_end = all[at + 1].b_end;
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  return true;
}

// The same to the left. False: it is not extended, or it reaches the hole before it.
bool extend_left(std::vector<Difference>& all, std::size_t at, Pieces a) {
  Difference& hole = all[at];
  const std::size_t limit = at == 0 ? 0 : all[at - 1].a_end;
  const std::size_t begin = hole.a_begin;
  for (; hole.a_begin > limit && !separates(a[hole.a_begin - 1]); --hole.a_begin) --hole.b_begin;
  const bool reaches_other = at > 0 && hole.a_begin == limit;
  return hole.a_begin < begin && !reaches_other;
}

// Where a rule for both lines has holes. A hole must match something in both lines; if it does in
// only one, it is extended by text that both lines have. nullopt: that is impossible.
std::optional<std::vector<Difference>> differences(Pieces a, Pieces b) {
  std::vector<Difference> all;
  std::ptrdiff_t shift = 0;
  for (const LineChange& change : diff_lines(a, b)) {
    const auto begin = static_cast<std::size_t>(change.old_begin),
               end = static_cast<std::size_t>(change.old_end);
    const std::size_t b_begin = begin + static_cast<std::size_t>(shift);
    all.push_back({begin, end, b_begin, b_begin + change.new_lines.size()});
    shift += std::ssize(change.new_lines) - (change.old_end - change.old_begin);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    while (all[i].is_one_sided()) {
      if (!extend_right(all, i, a) && !extend_left(all, i, a)) return std::nullopt;
    }
  }
  return all;
}

// The lines of a change that became one other line each.
void add_pairs(const RecentChange& change, std::vector<LinePair>& pairs) {
  const std::vector<std::string_view> before(change.before.begin(), change.before.end()),
      after(change.after.begin(), change.after.end());
  int shift = 0;  // from a line before to the same line after
  for (const LineChange& lines : diff_lines(before, after)) {
    const int n_old = lines.old_end - lines.old_begin;
    const int n_new = static_cast<int>(lines.new_lines.size());
    if (n_old != n_new) {
      shift += n_new - n_old;
      continue;
    }
    for (int old_line = lines.old_begin; old_line < lines.old_end; ++old_line) {
      const int new_line = old_line + shift;
      const std::string_view was = trimmed(before[static_cast<std::size_t>(old_line)]),
                             is = trimmed(after[static_cast<std::size_t>(new_line)]);
      if (was == is || std::max(was.size(), is.size()) > kMaxLineBytes) continue;
      pairs.push_back({&change, change.line + new_line, std::string(was), std::string(is)});
    }
  }
}

}  // namespace

std::vector<LinePair> line_pairs(const std::vector<RecentChange>& recent, std::size_t most) {
  std::vector<LinePair> pairs;
  for (const RecentChange& change : recent) add_pairs(change, pairs);
  if (pairs.size() > most)
    pairs.erase(pairs.begin(), pairs.end() - static_cast<std::ptrdiff_t>(most));
  return pairs;
}

// A rule that is being learned from two lines.
struct LineRewrite::Learner {
  using Texts = std::pair<std::string, std::string>;  // in the first and in the second line

  LineRewrite rule;
  std::vector<Texts> in_holes;

  static void add_fixed(Pieces pieces, std::vector<Part>& parts) {
    if (pieces.empty()) return;
    if (parts.empty() || parts.back().hole >= 0) parts.emplace_back();
    parts.back().pieces.insert(parts.back().pieces.end(), pieces.begin(), pieces.end());
  }

  void add_context(Pieces pieces) {
    add_fixed(pieces, rule.from_);
    add_fixed(pieces, rule.to_);
  }

  // The old texts of the changes. Each difference becomes a hole of its own.
  bool add_old(Pieces a, Pieces b) {
    return add(a, b, rule.from_, [&](Pieces in_a, Pieces in_b) {
      return find_hole(in_a, in_b) ? std::nullopt : std::optional(add_hole(in_a, in_b));
    });
  }

  // The new texts. A difference has to be one of the old texts, too; otherwise it is unknown what
  // to write into another line.
  bool add_new(Pieces a, Pieces b) {
    return add(a, b, rule.to_, [&](Pieces in_a, Pieces in_b) { return find_hole(in_a, in_b); });
  }

  // Adds what two sequences of pieces have in common, and holes. `hole_of` gives the hole of a
  // difference. False: it gives none, or the sequences are not alike.
  template <typename HoleOf>
  bool add(Pieces a, Pieces b, std::vector<Part>& parts, const HoleOf& hole_of) {
    const auto found = differences(a, b);
    if (!found) return false;
    std::size_t end = 0;
    for (const Difference& each : *found) {
      add_fixed(a.subspan(end, each.a_begin - end), parts);
      end = each.a_end;
      const std::optional<int> hole = hole_of(a.subspan(each.a_begin, each.a_end - each.a_begin),
                                              b.subspan(each.b_begin, each.b_end - each.b_begin));
      if (!hole) return false;
      parts.push_back({.pieces = {}, .hole = *hole});
    }
    add_fixed(a.subspan(end), parts);
    return true;
  }

  std::optional<int> find_hole(Pieces in_a, Pieces in_b) const {
    const auto known = std::ranges::find(in_holes, Texts(text_of(in_a), text_of(in_b)));
    if (known == in_holes.end()) return std::nullopt;
    return static_cast<int>(known - in_holes.begin());
  }

  int add_hole(Pieces in_a, Pieces in_b) {
    Hole hole;
    for (const Pieces pieces : {in_a, in_b}) {
      if (pieces.size() != 1 || !is_word(pieces.front())) hole.is_word = false;
      for (const std::string_view piece : pieces) {
        if (is_one_of(piece, kSeparators)) hole.separators += piece;
      }
    }
    rule.holes_.push_back(std::move(hole));
    in_holes.emplace_back(text_of(in_a), text_of(in_b));
    return static_cast<int>(in_holes.size()) - 1;
  }

  int fixed_words() const {
    const auto counts = [](const std::string& piece) { return is_word(piece) && piece.size() > 1; };
    std::ptrdiff_t words = 0;
    for (const Part& part : rule.from_) words += std::ranges::count_if(part.pieces, counts);
    return static_cast<int>(words);
  }

  std::string longest_fixed_text() const {
    std::string longest;
    for (const Part& part : rule.from_) {
      std::string text = joined(part.pieces, "");
      if (text.size() > longest.size()) longest = std::move(text);
    }
    return longest;
  }
};

std::optional<LineRewrite> LineRewrite::learn(const LinePair& a, const LinePair& b) {
  const ChangedLine line_a(a), line_b(b);
  const Context context = common_context(line_a, line_b);
  Learner learner;
  learner.add_context(context.left);
  if (!learner.add_old(line_a.old_text(), line_b.old_text()) ||
      !learner.add_new(line_a.new_text(), line_b.new_text()))
    return std::nullopt;
  learner.add_context(context.right);
  LineRewrite& rule = learner.rule;
  rule.is_from_start_ = context.is_from_start;
  rule.is_to_end_ = context.is_to_end;
  rule.words_ = learner.fixed_words();
  rule.fixed_ = learner.longest_fixed_text();
  if (rule.holes_.size() > kMaxHoles || rule.words_ < kMinWords) return std::nullopt;
  const bool makes_both = rule.apply(a.before) == a.after && rule.apply(b.before) == b.after;
  return makes_both ? std::optional(std::move(rule)) : std::nullopt;
}

// A match of a rule in a line: the part to replace, and the texts of the holes.
struct LineRewrite::Match {
  std::vector<Pieces> in_holes;
  std::size_t end = 0;
  int steps = 0;
};

bool LineRewrite::may_hold(const Hole& hole, Pieces pieces) const {
  if (hole.is_word) return pieces.size() == 1 && is_word(pieces.front());
  return is_balanced(pieces) && std::ranges::all_of(pieces, [&](std::string_view piece) {
           return !is_one_of(piece, kSeparators) || is_one_of(piece, hole.separators);
         });
}

bool LineRewrite::matches_from(Pieces pieces, std::size_t part, std::size_t at,
                               Match& match) const {
  if (++match.steps > kMaxSteps) return false;
  if (part == from_.size()) {
    match.end = at;
    return !is_to_end_ || at == pieces.size();
  }
  const Part& next = from_[part];
  if (next.hole >= 0) return matches_hole(pieces, part, at, match);
  const std::size_t count = next.pieces.size();
  return at + count <= pieces.size() &&
         std::ranges::equal(next.pieces, pieces.subspan(at, count)) &&
         matches_from(pieces, part + 1, at + count, match);
}

// Tries the shortest text for the hole first.
bool LineRewrite::matches_hole(Pieces pieces, std::size_t part, std::size_t at,
                               Match& match) const {
  const auto index = static_cast<std::size_t>(from_[part].hole);
  const Hole& hole = holes_[index];
  const std::size_t most = std::min(pieces.size() - at, hole.is_word ? 1 : kMaxInHole);
  for (std::size_t count = 1; count <= most; ++count) {
    const Pieces held = pieces.subspan(at, count);
    if (!may_hold(hole, held)) continue;
    match.in_holes[index] = held;
    if (matches_from(pieces, part + 1, at + count, match)) return true;
  }
  return false;
}

std::string LineRewrite::written(const Match& match) const {
  std::string text;
  for (const Part& part : to_) {
    if (part.hole >= 0) text += text_of(match.in_holes[static_cast<std::size_t>(part.hole)]);
    text += joined(part.pieces, "");
  }
  return text;
}

std::optional<std::string> LineRewrite::apply(std::string_view line) const {
  const std::string_view body = trimmed(line);
  if (body.size() > kMaxLineBytes || body.find(fixed_) == std::string_view::npos)
    return std::nullopt;
  const std::vector<std::string_view> pieces = pieces_of(body);
  std::string after(line.substr(0, static_cast<std::size_t>(body.data() - line.data())));
  const std::size_t indented = after.size();
  Match match{.in_holes = std::vector<Pieces>(holes_.size())};
  for (std::size_t at = 0; at < pieces.size();) {
    if ((at > 0 && is_from_start_) || !matches_from(pieces, 0, at, match)) {
      after += pieces[at++];
      continue;
    }
    const std::string_view matched = text_of(std::span(pieces).subspan(at, match.end - at));
    const auto begin = static_cast<std::size_t>(matched.data() - body.data());
    const std::string text = written(match);
    after += stands_around(body, begin, begin + matched.size(), text) ? matched : text;
    at = match.end;
  }
  if (match.steps > kMaxSteps || std::string_view(after).substr(indented) == body)
    return std::nullopt;
  return after;
}

}  // namespace redraft
