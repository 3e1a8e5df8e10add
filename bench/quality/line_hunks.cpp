// Ratcliff and Obershelp's matching: the longest common block of lines (of several the first in the
// old text, then the first in the new one), then the same to the left and to the right of it.
#include "bench/quality/line_hunks.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "text/strings/joined.h"
#include "text/strings/lines.h"

namespace redraft {
namespace {

using Lines = std::span<const std::string>;

struct Block {
  int before = 0, after = 0, size = 0;
};

struct Part {
  int before_begin, before_end, after_begin, after_end;
};

class Matcher {
 public:
  Matcher(Lines before, Lines after) : before_(before), after_(after) {
    for (int i = 0; i < std::ssize(after); ++i)
      places_[after[static_cast<std::size_t>(i)]].push_back(i);
  }

  // All that match, ascending, and an empty one at the ends.
  std::vector<Block> blocks() const {
    std::vector<Block> blocks;
    std::vector<Part> parts = {
        {0, static_cast<int>(before_.size()), 0, static_cast<int>(after_.size())}};
    while (!parts.empty()) {
      const Part part = parts.back();
      parts.pop_back();
      const Block found = longest(part);
      if (found.size == 0) continue;
      blocks.push_back(found);
      if (part.before_begin < found.before && part.after_begin < found.after)
        parts.push_back({part.before_begin, found.before, part.after_begin, found.after});
      const int before_end = found.before + found.size, after_end = found.after + found.size;
      if (before_end < part.before_end && after_end < part.after_end)
        parts.push_back({before_end, part.before_end, after_end, part.after_end});
    }
    std::ranges::sort(blocks, {}, &Block::before);
    blocks.push_back({static_cast<int>(before_.size()), static_cast<int>(after_.size()), 0});
    return blocks;
  }

 private:
  Block longest(const Part& part) const {
    Block best{part.before_begin, part.after_begin, 0};
    std::unordered_map<int, int> ending;  // by its last line in `after`: how long the match is
    for (int i = part.before_begin; i < part.before_end; ++i) {
      std::unordered_map<int, int> now;
      const auto places = places_.find(before_[static_cast<std::size_t>(i)]);
      if (places != places_.end()) {
        for (const int j : places->second) {
          if (j < part.after_begin) continue;
          if (j >= part.after_end) break;
          const auto shorter = ending.find(j - 1);
          const int size = now[j] = (shorter == ending.end() ? 0 : shorter->second) + 1;
          if (size > best.size) best = {i - size + 1, j - size + 1, size};
        }
      }
      ending = std::move(now);
    }
    return best;
  }

  Lines before_, after_;
  std::unordered_map<std::string_view, std::vector<int>> places_;  // of lines in `after`, ascending
};

std::vector<std::string> part_of(Lines lines, int begin, int end) {
  return {lines.begin() + begin, lines.begin() + end};
}

}  // namespace

std::vector<LineHunk> line_hunks(Lines before, Lines after) {
  std::vector<LineHunk> hunks;
  int i = 0, j = 0;
  for (const Block& block : Matcher(before, after).blocks()) {
    if (i < block.before || j < block.after)
      hunks.push_back({i, part_of(before, i, block.before), part_of(after, j, block.after)});
    i = block.before + block.size;
    j = block.after + block.size;
  }
  return hunks;
}

std::vector<std::string> split_lines(const std::string& text) {
  const std::vector<std::string_view> lines = split_separated(text, '\n');
  return {lines.begin(), lines.end()};
}

std::string join_lines(Lines lines) { return joined(lines, "\n"); }

}  // namespace redraft
