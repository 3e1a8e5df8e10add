#include "tuning/data/learned_lines.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace redraft {

namespace {

// The end of the line that begins at `at`, after its "\n".
std::size_t end_of_line(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == text.npos ? text.size() : newline + 1;
}

std::string_view without_ending(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<ByteRange> learned_lines(std::string_view before, std::string_view target,
                                     std::size_t code_end) {
  code_end = std::min(code_end, target.size());
  std::unordered_set<std::string_view> known;
  for (std::size_t at = 0; at < before.size();) {
    const std::size_t end = end_of_line(before, at);
    known.insert(without_ending(before.substr(at, end - at)));
    at = end;
  }
  std::vector<ByteRange> learned;
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    if (!learned.empty() && learned.back().end == begin)
      learned.back().end = end;
    else
      learned.push_back({begin, end});
  };
  const std::string_view code = target.substr(0, code_end);
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t end = end_of_line(code, at);
    if (!known.contains(without_ending(code.substr(at, end - at)))) add(at, end);
    at = end;
  }
  add(code_end, target.size());
  return learned;
}

}  // namespace redraft
