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

// Without the lines at its ends that stay.
void trim(LineChange& change, const std::vector<std::string_view>& before) {
  const auto old_line = [&](int i) { return before[static_cast<std::size_t>(i)]; };
  std::vector<std::string>& lines = change.new_lines;
  while (change.old_begin < change.old_end && !lines.empty() &&
         lines.front() == old_line(change.old_begin)) {
    ++change.old_begin;
    lines.erase(lines.begin());
  }
  while (change.old_begin < change.old_end && !lines.empty() &&
         lines.back() == old_line(change.old_end - 1)) {
    --change.old_end;
    lines.pop_back();
  }
}

// Of equal lines, the first one stays: a change that only adds or only takes away goes as far down
// as it can, but not to the `next` one.
void slide(LineChange& change, const std::vector<std::string_view>& before,
           const std::vector<std::string_view>& after, int new_begin, int next) {
  const int n_new = static_cast<int>(change.new_lines.size());
  const int n_old = change.old_end - change.old_begin;
  if (n_new > 0 && n_old > 0) return;
  const auto at = [](const std::vector<std::string_view>& lines, int i) {
    return lines[static_cast<std::size_t>(i)];
  };
  const auto n_after = static_cast<int>(after.size());
  while (change.old_end < next && new_begin + n_new < n_after &&
         at(before, change.old_end) == at(after, new_begin + n_new) &&
         (n_old > 0 ? at(before, change.old_begin) == at(before, change.old_end)
                    : at(after, new_begin) == at(after, new_begin + n_new))) {
    ++change.old_begin;
    ++change.old_end;
    ++new_begin;
  }
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
    std::vector<LineChange> differences = diff_lines(before, after);
    for (std::size_t k = 0; k < differences.size(); ++k) {
      LineChange& change = differences[k];
      const int next = k + 1 < differences.size() ? differences[k + 1].old_begin
                                                  : static_cast<int>(before.size());
      trim(change, before);
      const int n_new = static_cast<int>(change.new_lines.size());
      const int n_old = change.old_end - change.old_begin;
      int new_begin = change.old_begin + moved;
      slide(change, before, after, new_begin - one.new_begin, next);
      new_begin = change.old_begin + moved;
      for (int i = 0; i < n_new; ++i)
        change.new_lines[static_cast<std::size_t>(i)] =
            new_lines[static_cast<std::size_t>(new_begin + i)];
      moved += n_new - n_old;
      change.old_begin += one.old_begin;
      change.old_end += one.old_begin;
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

}  // namespace redraft
