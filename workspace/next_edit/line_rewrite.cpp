#include "workspace/next_edit/line_rewrite.h"

#include <algorithm>
#include <iterator>
#include <utility>

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
std::string_view text_of(std::span<const std::string_view> pieces) {
  if (pieces.empty()) return {};
  return {pieces.front().data(), pieces.back().data() + pieces.back().size()};
}

// Whether brackets and quotes are closed.
bool is_balanced(std::span<const std::string_view> pieces) {
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

// Whether the text around bytes [begin, end) of a line equals what the rule would write: it was
// written there before.
bool stands_around(std::string_view line, std::size_t begin, std::size_t end,
                   std::string_view text) {
  if (text.size() <= end - begin) return false;
  for (std::size_t at = end - std::min(end, text.size()); at <= begin; ++at) {
    if (line.substr(at).starts_with(text)) return true;
  }
  return false;
}

// A changed line: the parts that stayed on both sides, and the old and new text between.
struct Sides {
  std::vector<std::string_view> before, after;
  std::size_t n_left = 0, n_right = 0;

  Sides(std::string_view old_line, std::string_view new_line)
      : before(pieces_of(old_line)), after(pieces_of(new_line)) {
    const auto [old_begin, new_begin] =
        std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    n_left = static_cast<std::size_t>(old_begin - before.begin());
    n_right = static_cast<std::size_t>(
        std::mismatch(before.rbegin(), std::make_reverse_iterator(old_begin), after.rbegin(),
                      std::make_reverse_iterator(new_begin))
            .first -
        before.rbegin());
  }
  std::span<const std::string_view> left() const { return std::span(before).first(n_left); }
  std::span<const std::string_view> right() const { return std::span(before).last(n_right); }
  std::span<const std::string_view> from() const { return inner(before); }
  std::span<const std::string_view> to() const { return inner(after); }

 private:
  std::span<const std::string_view> inner(const std::vector<std::string_view>& line) const {
    return std::span(line).subspan(n_left, line.size() - n_left - n_right);
  }
};

// Where two sequences of pieces differ.
struct Difference {
  std::size_t a_begin, a_end, b_begin, b_end;
  bool is_one_sided() const { return a_begin == a_end || b_begin == b_end; }
};

// A hole must match something in both lines. If it does in only one, the hole takes in the adjacent
// text in both, up to the next blank, bracket or comma. False: there is none.
bool fill(std::vector<Difference>& all, std::size_t at, std::span<const std::string_view> a) {
  Difference& hole = all[at];
  const bool is_last = at + 1 == all.size();
  const std::size_t limit = is_last ? a.size() : all[at + 1].a_begin;
  const std::size_t end = hole.a_end;
  for (; hole.a_end < limit && !separates(a[hole.a_end]); ++hole.a_end) ++hole.b_end;
  if (!is_last && hole.a_end == limit) {
    hole.a_end = all[at + 1].a_end;
    hole.b_end = all[at + 1].b_end;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  } else if (hole.a_end == end) {
    const std::size_t floor = at == 0 ? 0 : all[at - 1].a_end, begin = hole.a_begin;
    for (; hole.a_begin > floor && !separates(a[hole.a_begin - 1]); --hole.a_begin) --hole.b_begin;
    if (hole.a_begin == begin || (at > 0 && hole.a_begin == floor)) return false;
  }
  return true;
}

// nullopt if one line has text for which the other has nothing.
std::optional<std::vector<Difference>> differences(std::span<const std::string_view> a,
                                                   std::span<const std::string_view> b) {
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
      if (!fill(all, i, a)) return std::nullopt;
    }
  }
  return all;
}

}  // namespace

std::vector<LinePair> line_pairs(const std::vector<RecentChange>& recent, std::size_t most) {
  std::vector<LinePair> pairs;
  for (const RecentChange& change : recent) {
    const std::vector<std::string_view> before(change.before.begin(), change.before.end()),
        after(change.after.begin(), change.after.end());
    int shift = 0;
    for (const LineChange& lines : diff_lines(before, after)) {
      const int count = lines.old_end - lines.old_begin, first = lines.old_begin + shift;
      shift += static_cast<int>(lines.new_lines.size()) - count;
      if (std::ssize(lines.new_lines) != count) continue;
      for (int i = 0; i < count; ++i) {
        const std::string_view was = trimmed(before[static_cast<std::size_t>(lines.old_begin + i)]),
                               is = trimmed(after[static_cast<std::size_t>(first + i)]);
        if (was == is || std::max(was.size(), is.size()) > kMaxLineBytes) continue;
        pairs.push_back({&change, change.line + first + i, std::string(was), std::string(is)});
      }
    }
  }
  if (pairs.size() > most)
    pairs.erase(pairs.begin(), pairs.end() - static_cast<std::ptrdiff_t>(most));
  return pairs;
}

// Builds a rule.
struct LineRewrite::Learner {
  LineRewrite rule;
  std::vector<std::pair<std::string, std::string>>
      in_holes;  // [hole]: in the first and in the second line

  static void add_fixed(Pieces pieces, std::vector<Part>& parts) {
    if (pieces.empty()) return;
    if (parts.empty() || parts.back().hole >= 0) parts.emplace_back();
    parts.back().pieces.insert(parts.back().pieces.end(), pieces.begin(), pieces.end());
  }

  // The common parts of two sequences of pieces, and holes. New holes are only allowed in replaced
  // text: for others it is unknown what to write into them.
  bool add(Pieces a, Pieces b, bool is_replaced, std::vector<Part>& parts) {
    const auto holes = differences(a, b);
    if (!holes) return false;
    std::size_t end = 0;
    for (const Difference& each : *holes) {
      add_fixed(a.subspan(end, each.a_begin - end), parts);
      end = each.a_end;
      const Pieces in_a = a.subspan(each.a_begin, each.a_end - each.a_begin),
                   in_b = b.subspan(each.b_begin, each.b_end - each.b_begin);
      std::pair<std::string, std::string> texts{text_of(in_a), text_of(in_b)};
      const auto known = std::ranges::find(in_holes, texts);
      if ((known != in_holes.end()) == is_replaced) return false;
      parts.push_back({.pieces = {}, .hole = static_cast<int>(known - in_holes.begin())});
      if (is_replaced) add_hole(std::move(texts), in_a, in_b);
    }
    add_fixed(a.subspan(end), parts);
    return true;
  }

  void add_hole(std::pair<std::string, std::string> texts, Pieces in_a, Pieces in_b) {
    Hole hole;
    for (const Pieces pieces : {in_a, in_b}) {
      if (pieces.size() != 1 || !is_word(pieces.front())) hole.is_word = false;
      for (const std::string_view piece : pieces) {
        if (is_one_of(piece, kSeparators)) hole.separators += piece;
      }
    }
    rule.holes_.push_back(std::move(hole));
    in_holes.push_back(std::move(texts));
  }

  int fixed_words() const {
    std::ptrdiff_t words = 0;
    for (const Part& part : rule.from_) {
      words += std::ranges::count_if(
          part.pieces, [](const std::string& piece) { return is_word(piece) && piece.size() > 1; });
    }
    return static_cast<int>(words);
  }
};

std::optional<LineRewrite> LineRewrite::learn(const LinePair& a, const LinePair& b) {
  const Sides in_a(a.before, a.after), in_b(b.before, b.after);
  const Pieces left_a = in_a.left(), left_b = in_b.left();
  const auto n_left = static_cast<std::size_t>(
      std::mismatch(left_a.rbegin(), left_a.rend(), left_b.rbegin(), left_b.rend()).first -
      left_a.rbegin());
  const Pieces right_a = in_a.right(), right_b = in_b.right();
  const auto n_right =
      static_cast<std::size_t>(std::ranges::mismatch(right_a, right_b).in1 - right_a.begin());
  Learner learner;
  LineRewrite& rule = learner.rule;
  const auto add_side = [&](Pieces pieces) {
    learner.add_fixed(pieces, rule.from_);
    learner.add_fixed(pieces, rule.to_);
  };
  const auto is_blank = [](std::string_view piece) { return is_one_of(piece, " \t"); };
  Pieces left = left_a.last(n_left), right = right_a.first(n_right);
  rule.is_from_start_ = n_left == in_a.n_left && n_left == in_b.n_left;
  rule.is_to_end_ = n_right == in_a.n_right && n_right == in_b.n_right;
  if (!rule.is_from_start_ && !left.empty() && is_blank(left.front())) left = left.subspan(1);
  if (!rule.is_to_end_ && !right.empty() && is_blank(right.back()))
    right = right.first(right.size() - 1);
  add_side(left);
  if (!learner.add(in_a.from(), in_b.from(), true, rule.from_) ||
      !learner.add(in_a.to(), in_b.to(), false, rule.to_))
    return std::nullopt;
  add_side(right);
  rule.words_ = learner.fixed_words();
  if (rule.holes_.size() > kMaxHoles || rule.words_ < kMinWords) return std::nullopt;
  for (const Part& part : rule.from_) {
    std::string text;
    for (const std::string& piece : part.pieces) text += piece;
    if (text.size() > rule.fixed_.size()) rule.fixed_ = std::move(text);
  }
  for (const LinePair* each : {&a, &b}) {
    if (rule.apply(each->before) != each->after) return std::nullopt;
  }
  return std::move(rule);
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
  if (next.hole < 0) {
    const std::size_t count = next.pieces.size();
    return at + count <= pieces.size() &&
           std::ranges::equal(next.pieces, pieces.subspan(at, count)) &&
           matches_from(pieces, part + 1, at + count, match);
  }
  const auto hole = static_cast<std::size_t>(next.hole);
  const std::size_t most = std::min(pieces.size() - at, kMaxInHole);
  for (std::size_t count = 1; count <= most; ++count) {
    const Pieces held = pieces.subspan(at, count);
    if (holes_[hole].is_word && count > 1) break;
    if (!may_hold(holes_[hole], held)) continue;
    match.in_holes[hole] = held;
    if (matches_from(pieces, part + 1, at + count, match)) return true;
  }
  return false;
}

std::string LineRewrite::written(const Match& match) const {
  std::string text;
  for (const Part& part : to_) {
    if (part.hole >= 0) text += text_of(match.in_holes[static_cast<std::size_t>(part.hole)]);
    for (const std::string& piece : part.pieces) text += piece;
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
