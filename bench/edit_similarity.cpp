#include "bench/edit_similarity.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/utf8/utf8.h"
#include "text/strings/lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr std::string_view kBlanks = " \t\r\f\v";

// The characters of up to `most` lines that are not blank, without the blanks around them; how many
// lines these are.
std::pair<std::u32string, int> bare_lines(std::string_view text, int most) {
  std::u32string out;
  int count = 0;
  while (!text.empty() && count < most) {
    const std::string_view line = trimmed(take_line(text), kBlanks);
    if (line.empty()) continue;
    if (count++ > 0) out += U'\n';
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i + 1;
      while (end < line.size() && continues_character(line[end])) ++end;
      // As a number that differs for different characters; also for bytes that are not UTF-8.
      char32_t character = 0;
      for (; i < end; ++i) character = (character << 8) | static_cast<unsigned char>(line[i]);
      out += character;
    }
  }
  return {std::move(out), count};
}

}  // namespace

int levenshtein_distance(std::u32string_view a, std::u32string_view b) {
  const auto same_start = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  a.remove_prefix(same_start);
  b.remove_prefix(same_start);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.remove_suffix(1);
    b.remove_suffix(1);
  }
  if (a.size() < b.size()) std::swap(a, b);
  // best[i]: of the elements of `a` so far and the first i of `b`.
  std::vector<int> best(b.size() + 1);
  std::iota(best.begin(), best.end(), 0);
  for (std::size_t row = 0; row < a.size(); ++row) {
    int diagonal = std::exchange(best[0], static_cast<int>(row) + 1);
    for (std::size_t i = 0; i < b.size(); ++i) {
      const int replaced = diagonal + (a[row] == b[i] ? 0 : 1);
      diagonal = best[i + 1];
      best[i + 1] = std::min({replaced, diagonal + 1, best[i] + 1});
    }
  }
  return best.back();
}

double edit_similarity(std::string_view text, std::string_view reference) {
  const auto [wanted, lines] = bare_lines(reference, std::numeric_limits<int>::max());
  const std::u32string written = bare_lines(text, lines).first;
  const std::size_t longer = std::max(wanted.size(), written.size());
  if (longer == 0) return 1;
  return 1 - levenshtein_distance(wanted, written) / static_cast<double>(longer);
}

}  // namespace redraft
