#include "workspace/apply/anchored_place.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/loose_match.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;

// At most this many more lines are taken away than there are new ones.
constexpr int kMaxTakenAway = 8;

// The lines between two ellipses; without blank lines at the ends.
std::vector<Strings> pieces_of(const CodeSnippet& snippet) {
  std::vector<Strings> pieces(1);
  for (const CodeSnippet::Line& line : snippet.lines) {
    if (line.is_ellipsis)
      pieces.emplace_back();
    else
      pieces.back().push_back(line.text);
  }
  const auto is_blank_line = [](const std::string& line) { return trimmed(line).empty(); };
  for (Strings& piece : pieces) {
    piece.erase(piece.begin(), std::ranges::find_if_not(piece, is_blank_line));
    while (!piece.empty() && is_blank_line(piece.back())) piece.pop_back();
  }
  std::erase_if(pieces, [](const Strings& piece) { return piece.empty(); });
  return pieces;
}

// A piece between its ends: `n_first` lines at `first` of the file, and `n_last` lines up to
// `last`.
struct Ends {
  int first = 0, last = 0;
  int n_first = 0, n_last = 0;
  int n_alike = 0;  // how many of the new lines are like one that they replace
};

class PieceByEnds {
 public:
  PieceByEnds(const FileLines& file, const Strings& piece, int from)
      : file_(file), piece_(piece), from_(from), n_(static_cast<int>(piece.size())) {
    for (const std::string& one : piece) keys_.emplace_back(trimmed(canonical_text(one)));
  }

  // The place whose ends are the longest and the closest to each other.
  std::optional<Ends> only_place() const {
    std::optional<Ends> best;
    bool is_only = true;
    for (const int first : file_.places_of(trimmed(piece_.front()))) {
      if (first < from_) continue;
      const int n_first = length_from(first);
      for (const int end : file_.places_of(trimmed(piece_.back()))) {
        const int last = end + 1, n_last = length_to(last);
        // What both ends have is one of them.
        Ends one{first, last, n_first, std::min(n_last, n_ - n_first)};
        if (last - one.n_last < first + n_first || takes_much(one)) continue;
        one.n_alike = number_of_alike(one);
        if (!best || is_better(one, *best)) {
          best = one;
          is_only = true;
        } else if (!is_better(*best, one)) {
          is_only = false;
        }
      }
    }
    return best && is_only && says_something(*best) ? best : std::nullopt;
  }

 private:
  const std::string& line(int i) const { return piece_[static_cast<std::size_t>(i)]; }
  bool is_at(int i, int place) const {
    return place >= 0 && place < file_.size() &&
           file_.text(place) == keys_[static_cast<std::size_t>(i)];
  }
  int length_from(int place) const {
    int n = 0;
    while (n < n_ && is_at(n, place + n)) ++n;
    return n;
  }
  int length_to(int end) const {
    int n = 0;
    while (n < n_ && is_at(n_ - 1 - n, end - 1 - n)) ++n;
    return n;
  }

  static int taken_away(const Ends& ends) {
    return ends.last - ends.n_last - ends.first - ends.n_first;
  }
  int added(const Ends& ends) const { return n_ - ends.n_first - ends.n_last; }
  bool takes_much(const Ends& ends) const {
    const int n_taken = taken_away(ends), n_added = added(ends);
    return n_taken > n_added + kMaxTakenAway || (n_added == 0 && n_taken > 0);
  }
  static bool is_better(const Ends& one, const Ends& other) {
    const int a = one.n_first + one.n_last + one.n_alike;
    const int b = other.n_first + other.n_last + other.n_alike;
    return a != b ? a > b : taken_away(one) < taken_away(other);
  }
  int number_of_alike(const Ends& ends) const {
    constexpr double kLeastLikeness = 0.6;
    constexpr int kMaxAlike = 100'000;
    int count = 0;
    n_alike_ += added(ends) * taken_away(ends);
    if (n_alike_ > kMaxAlike) return 0;
    for (int i = ends.n_first; i < n_ - ends.n_last; ++i) {
      if (!is_telling(trimmed(line(i)))) continue;
      bool is_alike = false;
      for (int there = ends.first + ends.n_first; there < ends.last - ends.n_last; ++there)
        is_alike = is_alike || likeness(line(i), file_.text(there)) >= kLeastLikeness;
      count += is_alike ? 1 : 0;
    }
    return count;
  }
  bool says_something(const Ends& ends) const {
    if (ends.n_alike > 0) return true;
    for (int i = 0; i < n_; ++i) {
      const bool is_end = i < ends.n_first || i >= n_ - ends.n_last;
      if (is_end && is_telling(trimmed(line(i)))) return true;
    }
    return false;
  }

  const FileLines& file_;
  const Strings& piece_;
  Strings keys_;  // [line]: its text as the file's are compared
  int from_, n_;
  mutable int n_alike_ = 0;  // pairs of lines that were compared by their characters
};

Result<LineSpan> span_of(const FileLines& file, const Strings& piece, const Ends& ends) {
  const auto n = static_cast<int>(piece.size());
  IndentMap indentation(indent_step_of(piece), file.indent_step());
  for (int i = 0; i < ends.n_first; ++i)
    indentation.learn(piece[static_cast<std::size_t>(i)], file.line(ends.first + i));
  for (int i = 1; i <= ends.n_last; ++i)
    indentation.learn(piece[static_cast<std::size_t>(n - i)], file.line(ends.last - i));
  LineSpan span{.begin = ends.first + ends.n_first, .end = ends.last - ends.n_last};
  std::optional<Strings> lines =
      indentation({piece.begin() + ends.n_first, piece.end() - ends.n_last});
  if (!lines) return Error("the indentation of the change does not match the file");
  span.lines = std::move(*lines);
  return span;
}

// Whether there is too much to compare.
bool occurs_often(const FileLines& file, const Strings& piece) {
  constexpr std::size_t kMaxPairs = 10'000;
  const std::size_t n_first = file.places_of(trimmed(piece.front())).size();
  const std::size_t n_last = file.places_of(trimmed(piece.back())).size();
  return n_first * n_last > kMaxPairs || (n_first + n_last) * piece.size() > kMaxCompared;
}

}  // namespace

Result<std::vector<LineSpan>> place_by_ends(const FileLines& file, const CodeSnippet& snippet) {
  std::vector<LineSpan> spans;
  int from = 0;  // pieces are in the order of the file
  for (const Strings& piece : pieces_of(snippet)) {
    if (occurs_often(file, piece)) return Error("its lines occur too often in the file");
    const std::optional<Ends> ends = PieceByEnds(file, piece, from).only_place();
    const bool is_head = piece.size() == 1 && !file.places_of(trimmed(piece.front())).empty();
    if (!ends && is_head) continue;  // it shows what is around the next piece
    if (!ends) return Error("the lines of the change are at no place, or at several");
    Result<LineSpan> span = span_of(file, piece, *ends);
    if (!span) return span.error();
    from = ends->last;
    if (!span->empty() || !span->lines.empty()) spans.push_back(std::move(*span));
  }
  if (spans.empty()) return Error("nothing of the change is new");
  return spans;
}

}  // namespace redraft
