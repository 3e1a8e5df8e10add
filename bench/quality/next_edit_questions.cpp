#include "bench/quality/next_edit_questions.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <utility>

#include "bench/quality/line_hunks.h"

namespace redraft {
namespace {

using Lines = std::vector<std::string>;

// The text before the first hunk, after it, after two…
std::vector<Lines> steps_of(const Lines& before, const Lines& after) {
  std::vector<Lines> steps = {before};
  int shift = 0;
  for (const LineHunk& hunk : line_hunks(before, after)) {
    Lines lines = steps.back();
    const auto at = lines.begin() + hunk.at + shift;
    const auto rest = lines.erase(at, at + std::ssize(hunk.removed));
    lines.insert(rest, hunk.added.begin(), hunk.added.end());
    steps.push_back(std::move(lines));
    shift += static_cast<int>(hunk.added.size()) - static_cast<int>(hunk.removed.size());
  }
  return steps;
}

// One hunk of a unified diff: its lines before and after, the latter from line `begin` (0-based).
struct DiffHunk {
  int begin = -1;
  Lines before, after;
};

// The 3 of "@@ -1,2 +3,4 @@"; nullopt if the line is not such a header.
std::optional<int> line_after(std::string_view header) {
  if (!header.starts_with("@@ -")) return std::nullopt;
  const std::size_t plus = header.find(" +");
  if (plus == std::string_view::npos || header.find(" @@", plus) == std::string_view::npos)
    return std::nullopt;
  int line = 0;
  const char* begin = header.data() + plus + 2;
  const auto parsed = std::from_chars(begin, header.data() + header.size(), line);
  if (parsed.ec != std::errc()) return std::nullopt;
  return line;
}

std::vector<DiffHunk> hunks_of(std::string_view diff) {
  std::vector<DiffHunk> hunks;
  for (const std::string& line : split_lines(std::string(diff))) {
    if (const std::optional<int> first = line_after(line)) {
      hunks.push_back({.begin = *first - 1, .before = {}, .after = {}});
    } else if (!hunks.empty() && !line.empty()) {
      const std::string text = line.substr(1);
      if (line.front() == '-' || line.front() == ' ') hunks.back().before.push_back(text);
      if (line.front() == '+' || line.front() == ' ') hunks.back().after.push_back(text);
    }
  }
  return hunks;
}

using LineSet = std::set<std::string_view>;
LineSet set_of(std::span<const std::string> lines) { return {lines.begin(), lines.end()}; }

// The lines of `from` that `other` has not.
LineSet only_in(std::span<const std::string> from, std::span<const std::string> other) {
  LineSet lines = set_of(from);
  for (const std::string& line : other) lines.erase(line);
  return lines;
}

std::ptrdiff_t count_in(const LineSet& set, const Lines& lines) {
  return std::ranges::count_if(lines, [&](const std::string& line) { return set.contains(line); });
}

}  // namespace

std::vector<NextEditQuestion> next_edit_questions(const BenchTask& task) {
  if (!task.file || !task.file->after || task.file->before.empty() || task.file->after->empty())
    return {};
  const Lines before = split_lines(task.file->before), after = split_lines(*task.file->after);
  const std::vector<Lines> steps = steps_of(before, after);
  const std::size_t n_hunks = steps.size() - 1;
  std::vector<NextEditQuestion> questions;
  if (n_hunks == 0) return questions;
  for (std::size_t n = 1; n <= std::size(kAfterHunks) && n < n_hunks; ++n) {
    const auto end = steps.begin() + static_cast<std::ptrdiff_t>(n) + 1;
    questions.push_back({kAfterHunks[n - 1], {steps.begin(), end}, after});
  }
  questions.push_back({kAfterCommit, steps, after});
  if (task.recent_edits.empty()) return questions;
  std::optional<Lines> earlier = before_diff(before, task.recent_edits.front());
  if (earlier && !earlier->empty() && *earlier != before)
    questions.push_back({kAfterCommitBefore, {*std::move(earlier), before}, after});
  return questions;
}

std::optional<Lines> before_diff(std::span<const std::string> lines, std::string_view diff) {
  Lines text(lines.begin(), lines.end());
  std::vector<DiffHunk> hunks = hunks_of(diff);
  std::ranges::reverse(
      hunks);  // the last first, so that the lines of the others stay where they are
  for (const DiffHunk& hunk : hunks) {
    if (hunk.begin < 0 || hunk.begin + std::ssize(hunk.after) > std::ssize(text))
      return std::nullopt;
    const auto at = text.begin() + hunk.begin;
    const auto end = at + std::ssize(hunk.after);
    if (!std::equal(at, end, hunk.after.begin())) return std::nullopt;
    text.insert(text.erase(at, end), hunk.before.begin(), hunk.before.end());
  }
  return text;
}

ProposalVerdict judge_proposal(const NextEditQuestion& question,
                               std::span<const std::string> proposed) {
  const Lines& start = question.steps.front();
  const Lines& now = question.steps.back();
  const std::vector<LineHunk> wanted = line_hunks(now, question.goal);
  const std::vector<LineHunk> made = line_hunks(now, proposed);
  ProposalVerdict result;
  if (made.empty()) return result;
  const LineSet just_removed = only_in(start, now);
  result.reverses = std::ranges::any_of(
      made, [&](const LineHunk& hunk) { return count_in(just_removed, hunk.added) > 0; });
  // Wherever the same lines become the same.
  const auto is_wanted = [&](const LineHunk& hunk) {
    return std::ranges::any_of(wanted, [&](const LineHunk& other) {
      return hunk.removed == other.removed && hunk.added == other.added;
    });
  };
  if (std::ranges::all_of(made, is_wanted)) {
    result.verdict = Verdict::kExact;
    return result;
  }
  const LineSet gone = only_in(now, question.goal), come = only_in(question.goal, now);
  std::ptrdiff_t lines = 0, right = 0;
  for (const LineHunk& hunk : made) {
    lines += std::ssize(hunk.removed) + std::ssize(hunk.added);
    right += count_in(gone, hunk.removed) + count_in(come, hunk.added);
  }
  result.verdict = lines > 0 && 2 * right >= lines ? Verdict::kLines : Verdict::kWrong;
  return result;
}

}  // namespace redraft
