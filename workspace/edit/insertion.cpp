#include "workspace/edit/insertion.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "text/strings/blank_text.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

using Views = std::vector<std::string_view>;

// An answer is compared with so many lines more than it has itself.
constexpr int kMoreNeighbours = 40;
constexpr int kTellingBytes = 4;

// Whether a line says where it belongs. A lone word or bracket may stand anywhere: "}", "endif()",
// "@property".
bool is_telling(std::string_view line) {
  int n_words = 0, n_bytes = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!is_name_byte(line[i])) continue;
    ++n_bytes;
    if (i == 0 || !is_name_byte(line[i - 1])) ++n_words;
  }
  return n_words > 1 && n_bytes >= kTellingBytes;
}

// Neighbours that an answer repeats.
struct Repeated {
  int lines = 0;          // how many, from the nearest on
  std::size_t begin = 0;  // the answer's first line that is one of them
};

// Lines next to an insertion, the nearest first, and the answer in the same direction.
class Side {
 public:
  Side(Views neighbours, Views answer)
      : neighbours_(std::move(neighbours)), answer_(std::move(answer)) {}

  // The neighbours that the answer has one after the other, up to its end. It may have others
  // between them.
  Repeated at_end() const {
    std::size_t at = 0;
    Repeated repeated;
    bool tells = false;
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      if (is_blank_text(neighbours_[i])) continue;
      const std::size_t found = find(neighbours_[i], at);
      if (found == answer_.size()) break;
      if (repeated.lines == 0) repeated.begin = found;
      at = found + 1;
      repeated.lines = static_cast<int>(i) + 1;
      tells = tells || is_telling(neighbours_[i]);
    }
    const bool is_all = std::all_of(answer_.begin() + static_cast<std::ptrdiff_t>(at),
                                    answer_.end(), [](auto line) { return is_blank_text(line); });
    return tells && is_all ? repeated : Repeated();
  }

  // The lines up to a blank one of which the answer has all, in any order.
  Repeated paragraphs() const {
    std::map<std::string_view, int> left;
    for (const std::string_view line : answer_) ++left[line];
    Repeated repeated;
    std::size_t begin = answer_.size();
    bool tells = false;
    const auto take = [&](std::size_t end) {
      if (tells) repeated = {static_cast<int>(end), begin};
    };
    for (std::size_t i = 0; i < neighbours_.size(); ++i) {
      if (is_blank_text(neighbours_[i])) {
        take(i);
        continue;
      }
      if (--left[neighbours_[i]] < 0) return repeated;
      if (!is_telling(neighbours_[i])) continue;
      begin = std::min(begin, find(neighbours_[i], 0));
      tells = true;
    }
    take(neighbours_.size());
    return repeated;
  }

 private:
  std::size_t find(std::string_view line, std::size_t from) const {
    return static_cast<std::size_t>(
        std::find(answer_.begin() + static_cast<std::ptrdiff_t>(from), answer_.end(), line) -
        answer_.begin());
  }

  Views neighbours_, answer_;
};

Views lines_of(const Document& document, int first, int end) {
  Views lines;
  for (int line = first; line < end; ++line) {
    const std::size_t begin = document.lines().start(line);
    lines.push_back(std::string_view(document.text())
                        .substr(begin, document.lines().content_end(line) - begin));
  }
  return lines;
}

Views reversed(Views lines) {
  std::ranges::reverse(lines);
  return lines;
}

Views views_of(const std::vector<std::string>& lines) { return {lines.begin(), lines.end()}; }

std::vector<std::string> own_lines(const EditRegion& region) {
  return {region.lines().begin(), region.lines().end()};
}

// Whether the answer has nothing but lines that stand next to it.
bool is_repetition(const Views& answer, const Views& above, const Views& below) {
  int n_telling = 0;
  for (const std::string_view line : answer) {
    if (!is_telling(line)) continue;
    ++n_telling;
    const bool is_known = std::ranges::find(above, line) != above.end() ||
                          std::ranges::find(below, line) != below.end();
    if (!is_known) return false;
  }
  return n_telling > 1;
}

// Blank lines between the new lines and the neighbours below stay, even if the answer has none.
void keep_gap(const Views& below, const Repeated& repeated, std::vector<std::string>& lines) {
  const auto at = lines.begin() + static_cast<std::ptrdiff_t>(repeated.begin);
  if (repeated.begin > 0 && is_blank_text(*(at - 1))) return;
  const auto gap = std::ranges::find_if_not(below, [](auto line) { return is_blank_text(line); });
  lines.insert(at, below.begin(), gap);
}

}  // namespace

bool is_insertion(const EditRegion& region) {
  return std::ranges::all_of(region.lines(),
                             [](std::string_view line) { return is_blank_text(line); });
}

Insertion without_repeated_neighbours(const EditRegion& region, std::vector<std::string> lines) {
  const Document& document = region.document();
  const LineIndex& index = document.lines();
  const int first = index.line_of(region.range().begin);
  const int end = first + static_cast<int>(region.lines().size());
  const int reach = static_cast<int>(lines.size()) + kMoreNeighbours;
  const Views above = reversed(lines_of(document, std::max(0, first - reach), first));
  const Views below = lines_of(document, end, std::min(index.line_count(), end + reach));
  const Views answer = views_of(lines);
  Repeated there = Side(below, answer).paragraphs();
  if (there.lines == 0) {
    const bool has_above = Side(above, reversed(answer)).paragraphs().lines > 0;
    if (!has_above && is_repetition(answer, above, below)) return {region, own_lines(region)};
    there = Side(below, answer).at_end();
  }
  Views rest = answer;  // without what it repeats below
  if (there.lines > 0) rest.resize(there.begin);
  const Side before(above, reversed(rest));
  int n_above = before.paragraphs().lines;
  if (n_above == 0) n_above = before.at_end().lines;
  const int n_below = there.lines;
  if (n_above == 0 && n_below == 0) return {region, std::move(lines)};
  if (n_below > 0) keep_gap(below, there, lines);
  const ByteRange range{index.start(first - n_above), index.start(end + n_below)};
  return {*EditRegion::make(region.shared_document(), EditScope::kSelection, range),
          std::move(lines)};
}

}  // namespace redraft
