#include "workspace/apply/hunk_changes.h"

#include <string_view>
#include <utility>

namespace redraft {
namespace {

std::vector<std::string_view> compared(const std::vector<std::string>& lines, int begin, int end,
                                       bool is_exact) {
  std::vector<std::string_view> result;
  for (int i = begin; i < end; ++i) {
    std::string_view line = lines[static_cast<std::size_t>(i)];
    if (!is_exact) line = line.substr(0, line.find_last_not_of(" \t") + 1);
    result.push_back(line);
  }
  return result;
}

}  // namespace

std::vector<LineChange> changes_of(const std::vector<std::string>& old_lines,
                                   const std::vector<std::string>& new_lines,
                                   const std::vector<MarkedChange>& marked, bool is_exact) {
  const MarkedChange all{0, static_cast<int>(old_lines.size()), 0,
                         static_cast<int>(new_lines.size())};
  std::vector<LineChange> changes;
  for (const MarkedChange& one : marked.empty() ? std::vector{all} : marked) {
    const std::vector<std::string_view> before =
        compared(old_lines, one.old_begin, one.old_end, is_exact);
    const std::vector<std::string_view> after =
        compared(new_lines, one.new_begin, one.new_end, is_exact);
    int moved = one.new_begin;  // from an old line to the new one
    for (LineChange& change : diff_lines(before, after)) {
      const int begin = change.old_begin + moved;
      const auto new_begin = static_cast<std::size_t>(begin);
      for (std::size_t i = 0; i < change.new_lines.size(); ++i)
        change.new_lines[i] = new_lines[new_begin + i];
      moved += static_cast<int>(change.new_lines.size()) - (change.old_end - change.old_begin);
      change.old_begin += one.old_begin;
      change.old_end += one.old_begin;
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

}  // namespace redraft
