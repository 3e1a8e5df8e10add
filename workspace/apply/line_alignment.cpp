#include "workspace/apply/line_alignment.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <utility>

#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// The better of two places must win by at least this much: half a line.
constexpr double kMargin = 0.4;
// A new line may be a changed version of one of this many lines of the file, next to a line that is
// in the file.
constexpr int kLinesNextTo = 3;

double worth_of(std::string_view text) { return text.empty() ? 0.2 : is_telling(text) ? 2 : 1; }
// Removing a line costs as much as keeping one gains: a run that spans many lines to find a few is
// not what the change means.
double loss_of(std::string_view text) { return text.empty() ? 0.05 : worth_of(text); }
constexpr double kNewLine = 0.05;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(static_cast<unsigned char>(text[end]))) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    i = end + (end == i ? 1 : 0);
  }
  std::ranges::sort(words);
  return words;
}

class Aligner {
 public:
  Aligner(const FileLines& file, const LinesToAlign& run, std::size_t first, std::size_t last)
      : file_(file), run_(run), first_(first), last_(last) {}

  // Lines [first, last) of the run.
  Result<AlignedLines> best() {
    const std::size_t n = static_cast<std::size_t>(file_.size()) + 1;
    std::vector<Cell> before(n), row(n);
    for (std::size_t i = first_; i < last_; ++i) {
      const bool is_first = i == first_;
      const std::string_view text = run_.lines[i].text;
      std::ranges::fill(row, Cell());
      matched_.assign(n, Cell());
      for (std::size_t j = 1; j < n; ++j) {
        const auto line = static_cast<int>(j) - 1;
        if (may_be(i, line)) {
          const int kept = text.empty() ? 0 : 1;
          if (is_first)
            matched_[j] = {worth_of(text), line, kept};
          else if (before[j - 1].score > kNever)
            matched_[j] = before[j - 1].plus(worth_of(text), kept);
        }
        row[j] = matched_[j];
        if (!is_first) row[j].take(before[j].plus(-kNewLine));
        row[j].take(row[j - 1].plus(-loss_of(file_.text(line))));
      }
      std::swap(before, row);
    }
    return choose();
  }

 private:
  struct Cell {
    double score = kNever;
    int begin = 0, n_kept = 0;
    Cell plus(double worth, int kept = 0) const { return {score + worth, begin, n_kept + kept}; }
    void take(const Cell& other) {
      if (other.score > score) *this = other;
    }
  };

  bool may_be(std::size_t i, int line) const {
    const LinesToAlign::Line& one = run_.lines[i];
    const bool is_first = i == 0, is_last = i + 1 == run_.lines.size();
    if (is_first && run_.begin && line != *run_.begin) return false;
    if (is_last && run_.end && line + 1 != *run_.end) return false;
    if ((is_first && run_.begin) || (is_last && run_.end)) return true;
    return line >= one.window_begin && line < one.window_end && file_.text(line) == one.text;
  }

  Result<AlignedLines> choose() const {
    AlignedLines best;
    double score = kNever, second = kNever;
    for (std::size_t j = 1; j < matched_.size(); ++j) {
      const Cell& cell = matched_[j];
      if (cell.score > score) {
        second = score;
        score = cell.score;
        best = {cell.begin, static_cast<int>(j), cell.n_kept};
      } else {
        second = std::max(second, cell.score);
      }
    }
    if (score == kNever) return Error("the lines of the change are not in the file in this order");
    if (score < second + kMargin)
      return Error("'" + std::string(run_.lines[first_].text) + "' may belong in several places");
    return best;
  }

  const FileLines& file_;
  const LinesToAlign& run_;
  std::size_t first_, last_;
  std::vector<Cell> matched_;  // [j]: the last line is line j - 1 of the file
};

}  // namespace

bool is_telling(std::string_view text) {
  return std::ranges::count_if(text, [](unsigned char c) { return std::isalnum(c) != 0; }) >= 3;
}

bool are_alike(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> of_a = words_of(a), of_b = words_of(b);
  if (of_a.empty() || of_b.empty()) return trimmed(a) == trimmed(b);
  std::vector<std::string_view> common;
  std::ranges::set_intersection(of_a, of_b, std::back_inserter(common));
  return 2 * common.size() >= std::min(of_a.size(), of_b.size());
}

bool has_words_of(std::string_view text, std::string_view other) {
  return std::ranges::includes(words_of(text), words_of(other));
}

Result<AlignedLines> align(const FileLines& file, const LinesToAlign& run) {
  const std::size_t n = run.lines.size();
  const auto is_known = [&](std::size_t i) {
    const LinesToAlign::Line& line = run.lines[i];
    if ((i == 0 && run.begin) || (i + 1 == n && run.end)) return true;
    return std::ranges::any_of(file.places_of(line.text), [&](int place) {
      return place >= line.window_begin && place < line.window_end;
    });
  };
  std::size_t first = 0, last = n;
  while (first < n && (!is_known(first) || run.lines[first].text.empty())) ++first;
  if (first == n) return Error("'" + std::string(run.lines.front().text) + "' is not in the file");
  while (!is_known(last - 1) || run.lines[last - 1].text.empty()) --last;
  const bool says_something = run.begin || run.end ||
                              std::any_of(run.lines.begin() + static_cast<std::ptrdiff_t>(first),
                                          run.lines.begin() + static_cast<std::ptrdiff_t>(last),
                                          [](const auto& line) { return is_telling(line.text); });
  if (!says_something) return Error("nothing shows where the lines of the change go");
  Result<AlignedLines> aligned = Aligner(file, run, first, last).best();
  if (!aligned) return aligned;
  // New lines before the first or after the last line that is in the file.
  const auto is_changed = [&](std::size_t i, int begin, int end) {
    for (int line = std::max(begin, 0); line < std::min(end, file.size()); ++line) {
      if (are_alike(run.lines[i].text, file.text(line))) return true;
    }
    return false;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_before = i < first, is_behind = i >= last;
    if (!is_before && !is_behind) continue;
    const int begin = is_before ? aligned->begin - kLinesNextTo : aligned->end;
    const int end = is_before ? aligned->begin : aligned->end + kLinesNextTo;
    if (!run.lines[i].text.empty() && is_changed(i, begin, end))
      return Error("'" + std::string(run.lines[i].text) + "' is not in the file");
  }
  return aligned;
}

}  // namespace redraft
