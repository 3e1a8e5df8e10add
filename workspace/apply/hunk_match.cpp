#include "workspace/apply/hunk_match.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/hunk_ways.h"
#include "workspace/documents/diff.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;

using Sides = HunkSides;

bool is_blank_line(const std::string& line) { return trimmed(line).empty(); }

std::vector<std::size_t> written_lines(const Strings& lines) {
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!is_blank_line(lines[i])) written.push_back(i);
  }
  return written;
}

std::string key_of(std::string_view line, bool with_blanks) {
  std::string key(trimmed(canonical_text(line)));
  return with_blanks ? with_single_blanks(key) : key;
}

// Where the written lines of the file have these texts one after the other: indices of written().
Result<std::vector<std::size_t>> sequences(const FileLines& file, const Strings& keys,
                                           bool with_blanks) {
  const std::vector<int>& written = file.written();
  const auto key_at = [&](std::size_t i) {
    const std::string_view text = file.text(written[i]);
    return with_blanks ? with_single_blanks(text) : std::string(text);
  };
  std::vector<std::size_t> starts;
  std::size_t n_compared = 0;
  const auto try_start = [&](std::size_t start) {
    for (std::size_t i = 0; i < keys.size(); ++i, ++n_compared) {
      if (start + i >= written.size() || key_at(start + i) != keys[i]) return;
    }
    starts.push_back(start);
  };
  if (with_blanks) {
    for (std::size_t i = 0; i < written.size() && n_compared <= kMaxCompared; ++i) try_start(i);
  } else {
    std::size_t rarest = 0;
    const auto n_places = [&](std::size_t i) { return file.places_of(keys[i]).size(); };
    for (std::size_t i = 1; i < keys.size(); ++i) {
      if (n_places(i) < n_places(rarest)) rarest = i;
    }
    if (n_places(rarest) * keys.size() > kMaxCompared)
      return Error("its lines occur too often in the file");
    for (const int place : file.places_of(keys[rarest])) {
      const auto at =
          static_cast<std::size_t>(std::ranges::lower_bound(written, place) - written.begin());
      if (at >= rarest) try_start(at - rarest);
    }
  }
  if (n_compared > kMaxCompared) return Error("its lines occur too often in the file");
  return starts;
}

// Gives a hunk as many blank lines as the file has between the same lines.
class BlankLines {
 public:
  BlankLines(const FileLines& file, const Sides& sides, std::size_t start)
      : file_(file), sides_(sides), start_(start), old_(written_lines(sides.old_lines)) {}

  // nullopt: it is not clear where the blank lines of the file go.
  std::optional<HunkMatch> fitted() {
    HunkMatch match;
    match.has_same_blank_lines = fits();
    const auto first = static_cast<std::size_t>(file_line(0));
    const std::size_t above = std::min(old_.front(), blank_lines_above(first));
    const std::size_t below =
        std::min(sides_.old_lines.size() - 1 - old_.back(), blank_lines_below());
    match.place = static_cast<int>(first - above);
    match.has_same_blank_lines &=
        above == old_.front() && below == sides_.old_lines.size() - 1 - old_.back();
    if (match.has_same_blank_lines) {
      match.old_lines = sides_.old_lines;
      match.new_lines = sides_.new_lines;
      return match;
    }
    match.old_lines.resize(above);
    for (std::size_t k = 0; k < old_.size(); ++k) {
      match.old_lines.push_back(sides_.old_lines[old_[k]]);
      match.old_lines.resize(match.old_lines.size() + (k + 1 < old_.size() ? file_gap(k) : below));
    }
    std::optional<Strings> lines = new_lines(above, below);
    if (!lines) return std::nullopt;
    match.new_lines = std::move(*lines);
    return match;
  }

 private:
  int file_line(std::size_t k) const { return file_.written()[start_ + k]; }
  std::size_t file_gap(std::size_t k) const {
    return static_cast<std::size_t>(file_line(k + 1) - file_line(k) - 1);
  }
  std::size_t old_gap(std::size_t k) const { return old_[k + 1] - old_[k] - 1; }
  bool fits() const {
    for (std::size_t k = 0; k + 1 < old_.size(); ++k) {
      if (old_gap(k) != file_gap(k)) return false;
    }
    return true;
  }
  std::size_t blank_lines_above(std::size_t line) const {
    std::size_t count = 0;
    while (count < line && file_.text(static_cast<int>(line - 1 - count)).empty()) ++count;
    return count;
  }
  std::size_t blank_lines_below() const {
    const int last = file_line(old_.size() - 1);
    int end = last + 1;
    while (end < file_.size() && file_.text(end).empty()) ++end;
    return static_cast<std::size_t>(end - last - 1);
  }

  // For each written new line, the written old line that it is.
  std::vector<std::optional<std::size_t>> kept(const std::vector<std::size_t>& fresh) const {
    std::vector<std::string_view> before, after;
    for (const std::size_t i : old_) before.push_back(trimmed(sides_.old_lines[i]));
    for (const std::size_t i : fresh) after.push_back(trimmed(sides_.new_lines[i]));
    std::vector<std::optional<std::size_t>> result;
    std::size_t k = 0;
    for (const LineChange& change : diff_lines(before, after)) {
      while (k < static_cast<std::size_t>(change.old_begin)) result.emplace_back(k++);
      result.resize(result.size() + change.new_lines.size());
      k = static_cast<std::size_t>(change.old_end);
    }
    while (k < old_.size()) result.emplace_back(k++);
    return result;
  }

  std::optional<Strings> new_lines(std::size_t above, std::size_t below) const {
    const std::vector<std::size_t> fresh = written_lines(sides_.new_lines);
    Strings lines;
    if (fresh.empty()) return lines;
    const auto less = [](std::size_t n, std::size_t was, std::size_t is) {
      return n - std::min(n, was - is);
    };
    const std::size_t below_before = sides_.old_lines.size() - 1 - old_.back();
    lines.resize(less(fresh.front(), old_.front(), above));
    const std::vector<std::optional<std::size_t>> same = kept(fresh);
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      lines.push_back(sides_.new_lines[fresh[i]]);
      if (i + 1 == fresh.size()) break;
      const std::size_t gap = fresh[i + 1] - fresh[i] - 1;
      const std::optional<std::size_t> fitted = new_gap(gap, same[i], same[i + 1]);
      if (!fitted) return std::nullopt;
      lines.resize(lines.size() + *fitted);
    }
    lines.resize(lines.size() +
                 less(sides_.new_lines.size() - 1 - fresh.back(), below_before, below));
    return lines;
  }

  // The number of blank lines between two new lines, which may be old lines.
  std::optional<std::size_t> new_gap(std::size_t gap, std::optional<std::size_t> upper,
                                     std::optional<std::size_t> lower) const {
    const bool is_old = upper && lower && *lower == *upper + 1;
    for (const bool is_below : {true, false}) {
      const std::optional<std::size_t>& one = is_below ? upper : lower;
      if (!one || (is_below ? *one + 1 == old_.size() : *one == 0)) continue;
      const std::size_t k = is_below ? *one : *one - 1;
      if (old_gap(k) == file_gap(k) || old_gap(k) != gap) continue;
      if (gap == 0 && !is_old) return std::nullopt;
      return file_gap(k);
    }
    return gap;
  }

  const FileLines& file_;
  const Sides& sides_;
  std::size_t start_;
  std::vector<std::size_t> old_;  // the written old lines
};

Result<std::vector<HunkMatch>> match(const FileLines& file, const Sides& sides, bool with_blanks) {
  Strings keys;
  for (const std::string& line : sides.old_lines) {
    if (!is_blank_line(line)) keys.push_back(key_of(line, with_blanks));
  }
  std::vector<HunkMatch> matches;
  if (keys.empty()) return matches;
  const Result<std::vector<std::size_t>> starts = sequences(file, keys, with_blanks);
  if (!starts) return starts.error();
  constexpr std::size_t kMaxMatches = 1000;
  if (starts->size() > kMaxMatches) return Error("its lines occur too often in the file");
  for (const std::size_t start : *starts) {
    if (std::optional<HunkMatch> one = BlankLines(file, sides, start).fitted())
      matches.push_back(std::move(*one));
  }
  if (matches.empty() && !starts->empty())
    return Error("the file has other blank lines than the change");
  return matches;
}

}  // namespace

Result<std::vector<HunkMatch>> match_hunk(const FileLines& file, const Replaced& hunk) {
  for (const Sides& way : ways_of({hunk.old_lines, hunk.new_lines})) {
    for (const bool with_blanks : {false, true}) {
      Result<std::vector<HunkMatch>> found = match(file, way, with_blanks);
      if (!found) return found;
      if (found->empty()) continue;
      for (HunkMatch& one : *found) one.line = way.line;
      return found;
    }
  }
  return std::vector<HunkMatch>();
}

bool has_lines(const FileLines& file, const std::vector<std::string>& lines) {
  const Result<std::vector<HunkMatch>> found = match(file, {lines, {}}, false);
  return found && !found->empty();
}

}  // namespace redraft
