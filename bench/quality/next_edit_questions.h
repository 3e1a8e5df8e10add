#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/task.h"

namespace redraft {

// The questions about a commit: what follows after its first hunk, its first two, its first three;
// what follows after all of it, where no proposal is right; and what it changes, after the previous
// commit of the file.
inline constexpr std::string_view kAfterHunks[] = {"after 1 hunk", "after 2 hunks",
                                                   "after 3 hunks"};
inline constexpr std::string_view kAfterCommit = "after the commit";
inline constexpr std::string_view kAfterCommitBefore = "after the commit before";

struct NextEditQuestion {
  std::string_view name;  // one of those above
  // The file's texts, one after the other, as the person made them; the last one is the current
  // one.
  std::vector<std::vector<std::string>> steps;
  std::vector<std::string> goal;  // the person's final version
};

// The questions that the commit answers; empty if it lacks one of the texts, or if they are equal.
// Takes time and memory in proportion to its hunks and lines, so keep names, not questions.
std::vector<NextEditQuestion> next_edit_questions(const BenchTask& task);

// The text before a unified diff of one file was applied; nullopt if the diff does not fit. The
// result has the line breaks of `lines`.
std::optional<std::vector<std::string>> before_diff(std::span<const std::string> lines,
                                                    std::string_view diff);

// How well a proposal matches what the person did next.
enum class Verdict {
  kNone,   // nothing was proposed
  kExact,  // all of its hunks are among the person's remaining ones
  kLines,  // right by the line: at least half of the lines that it removes and adds are
  kWrong,
};
inline constexpr std::string_view kVerdicts[] = {"none", "exact", "lines", "wrong"};

struct ProposalVerdict {
  Verdict verdict = Verdict::kNone;
  bool reverses = false;  // it adds a line that the person had just removed
};
// `proposed` is the whole text with the proposal applied.
ProposalVerdict judge_proposal(const NextEditQuestion& question,
                               std::span<const std::string> proposed);

}  // namespace redraft
