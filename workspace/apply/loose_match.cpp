#include "workspace/apply/loose_match.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/line_alignment.h"

namespace redraft {
namespace {

// The most pairs of lines that are compared by their characters: some 50 ms.
constexpr std::size_t kMaxPairs = 600'000;
constexpr double kNever = -std::numeric_limits<double>::infinity();
constexpr double kLeastLikeness = 0.5;
constexpr double kWorthOfBlank = 0.05, kWorthOfMark = 0.4, kWorthOfText = 1;
// A line of the change that the file lacks, and a line of the file that the change lacks.
constexpr double kLostLine = 0.3, kFurtherLine = 0.25, kFurtherBlank = 0.02;
// The depth decides between lines that are the same otherwise.
constexpr double kSameDepth = 0.01;
// Places below this score are nothing alike.
constexpr double kLeastScore = 0.05;

std::vector<std::uint16_t> pairs_of(std::string_view text) {
  std::string compact;
  for (const char c : text) {
    if (!is_blank(c)) compact += c;
  }
  std::vector<std::uint16_t> pairs;
  for (std::size_t i = 0; i + 1 < compact.size(); ++i) {
    const auto high = static_cast<unsigned char>(compact[i]);
    const auto low = static_cast<unsigned char>(compact[i + 1]);
    pairs.push_back(static_cast<std::uint16_t>(high << 8 | low));
  }
  std::ranges::sort(pairs);
  return pairs;
}

double share(const std::vector<std::uint16_t>& a, const std::vector<std::uint16_t>& b) {
  if (a.empty() || b.empty()) return 0;
  const std::size_t least = std::min(a.size(), b.size()), most = std::max(a.size(), b.size());
  // No more than this is possible.
  if (2.0 * static_cast<double>(least) / static_cast<double>(least + most) < kLeastLikeness)
    return 0;
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) {
      ++common;
      ++i;
      ++j;
    } else {
      ++(*i < *j ? i : j);
    }
  }
  return 2.0 * static_cast<double>(common) / static_cast<double>(a.size() + b.size());
}

// Without blanks, and with quotes of one kind.
std::string bare(std::string_view text) {
  std::string result;
  for (const char c : canonical_text(text)) {
    if (!is_blank(c)) result += c == '\'' || c == '`' ? '"' : c;
  }
  return result;
}

double worth_of(std::string_view text) {
  return text.empty() ? kWorthOfBlank : is_telling(text) ? kWorthOfText : kWorthOfMark;
}

struct Text {
  Text(std::string_view raw_line, std::string_view line)
      : raw(raw_line),
        text(line),
        pairs(pairs_of(line)),
        bare_text(bare(line)),
        worth(worth_of(line)) {}
  std::string_view raw, text;
  std::vector<std::uint16_t> pairs;
  std::string bare_text;
  double worth;
};

class LooseAligner {
 public:
  LooseAligner(const FileLines& file, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) wanted_.emplace_back(line, trimmed(line));
    for (int i = 0; i < file.size(); ++i) there_.emplace_back(file.line(i), file.text(i));
    for (const Text& one : wanted_) total_ += one.worth;
  }

  std::vector<LooseMatch> best(std::size_t most) {
    fill();
    std::vector<LooseMatch> matches;
    std::vector<std::size_t> ends;
    for (std::size_t j = 1; j <= there_.size(); ++j) {
      if (last_[j].score / total_ >= kLeastScore) ends.push_back(j);
    }
    std::ranges::stable_sort(
        ends, [&](std::size_t a, std::size_t b) { return last_[a].score > last_[b].score; });
    const std::size_t kept = most + 1;  // one more than the caller wants, for the margin
    for (const std::size_t end : ends) {
      if (matches.size() == kept) break;
      const int first = last_[end].begin, behind = static_cast<int>(end);
      const bool is_apart = std::ranges::all_of(matches, [&](const LooseMatch& other) {
        return behind <= other.begin || first >= other.end;
      });
      if (!is_apart) continue;
      LooseMatch match = match_to(end);
      if (says_something(match)) matches.push_back(std::move(match));
    }
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const double next = i + 1 < matches.size() ? matches[i + 1].score * total_ : 0;
      matches[i].margin = matches[i].score * total_ - next;
    }
    if (matches.size() > most) matches.resize(most);
    return matches;
  }

 private:
  enum Step : std::uint8_t { kNone, kPair, kLost, kFurther };
  struct Cell {
    double score = kNever;
    int begin = 0;  // the first line of the file
  };

  // Whether it has a line with more than braces.
  bool says_something(const LooseMatch& match) const {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (match.file_lines[i] >= 0 && wanted_[i].worth >= kWorthOfText) return true;
    }
    return false;
  }

  static bool are_same(const Text& a, const Text& b) {
    return a.text == b.text || a.bare_text == b.bare_text;
  }

  // nothing: the lines are no counterparts.
  static double gain_of(const Text& a, const Text& b) {
    if (a.text == b.text) return a.raw == b.raw ? a.worth + kSameDepth : a.worth;
    if (a.text.empty() || b.text.empty()) return kNever;
    if (a.bare_text == b.bare_text) return 0.95 * a.worth;
    const double alike = share(a.pairs, b.pairs);
    return alike < kLeastLikeness ? kNever : a.worth * (1.4 * alike - 0.5);
  }

  void fill() {
    const std::size_t n = there_.size() + 1;
    steps_.assign(wanted_.size() * n, kNone);
    std::vector<Cell> before(n), row(n);
    for (std::size_t j = 0; j < n; ++j) before[j] = {0, static_cast<int>(j)};
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      row.assign(n, Cell());
      for (std::size_t j = 0; j < n; ++j) {
        const auto take = [&](const Cell& from, double gain, Step step) {
          if (from.score + gain <= row[j].score) return;
          row[j] = {from.score + gain, from.begin};
          steps_[i * n + j] = step;
        };
        if (j > 0) take(before[j - 1], gain_of(wanted_[i], there_[j - 1]), kPair);
        const bool is_empty = wanted_[i].text.empty();
        take(before[j], is_empty ? -kFurtherBlank : -kLostLine * wanted_[i].worth, kLost);
        if (j > 0) {
          const bool is_blank_line = there_[j - 1].text.empty();
          take(row[j - 1], is_blank_line ? -kFurtherBlank : -kFurtherLine, kFurther);
        }
      }
      std::swap(before, row);
    }
    last_ = std::move(before);
  }

  LooseMatch match_to(std::size_t end) const {
    const std::size_t n = there_.size() + 1;
    LooseMatch match;
    match.file_lines.assign(wanted_.size(), -1);
    match.is_same.assign(wanted_.size(), false);
    match.worth = total_;
    match.score = last_[end].score / total_;
    for (std::size_t i = wanted_.size(), j = end; i > 0;) {
      const Step step = static_cast<Step>(steps_[(i - 1) * n + j]);
      if (step == kPair) {
        --i;
        --j;
        match.file_lines[i] = static_cast<int>(j);
        match.is_same[i] = are_same(wanted_[i], there_[j]);
      } else if (step == kFurther) {
        --j;
      } else {
        --i;
      }
    }
    match.begin = static_cast<int>(end);
    for (const int line : match.file_lines) {
      if (line < 0) continue;
      match.begin = std::min(match.begin, line);
      match.end = std::max(match.end, line + 1);
    }
    return match;
  }

  std::vector<Text> wanted_, there_;
  double total_ = 0;  // the worth of all wanted lines
  std::vector<std::uint8_t> steps_;
  std::vector<Cell> last_;
};

}  // namespace

double likeness(std::string_view a, std::string_view b) { return share(pairs_of(a), pairs_of(b)); }

std::vector<LooseMatch> loose_matches(const FileLines& file, const std::vector<std::string>& lines,
                                      std::size_t most) {
  const std::size_t n_pairs = lines.size() * static_cast<std::size_t>(file.size());
  const bool says_something =
      std::ranges::any_of(lines, [](const std::string& line) { return is_telling(line); });
  if (n_pairs == 0 || n_pairs > kMaxPairs || !says_something) return {};
  return LooseAligner(file, lines).best(most);
}

}  // namespace redraft
