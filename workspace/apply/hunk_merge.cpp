#include "workspace/apply/hunk_merge.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/hunk_changes.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/apply/line_merge.h"
#include "workspace/apply/loose_match.h"
#include "workspace/documents/diff.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;
using Names = std::vector<std::pair<std::string, std::string>>;

// The least score of a place, and its least lead over the next one.
constexpr double kLeastScore = 0.5, kLeastMargin = 0.4;
// A place with these is beyond question.
constexpr double kSureScore = 0.6, kSureMargin = 0.9;
// A new line was written from an old one if they are this alike.
constexpr double kLeastLikeness = 0.5;

constexpr const char* kNotShown = "it would remove lines that the change does not show";

std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The names that the file has renamed since the hunk was written: the file has the old one nowhere
// and the new one wherever the hunk has the old one.
Names renamed_since(const FileLines& file, const Replaced& hunk, const LooseMatch& match) {
  Names names;
  std::set<std::string> unclear;
  for (std::size_t i = 0; i < hunk.old_lines.size(); ++i) {
    if (match.file_lines[i] < 0 || match.is_same[i]) continue;
    const auto words = renamed_words(trimmed(hunk.old_lines[i]), file.text(match.file_lines[i]));
    if (!words) continue;
    for (const auto& one : *words) {
      const auto known = std::ranges::find(names, one.first, &Names::value_type::first);
      if (known == names.end())
        names.push_back(one);
      else if (known->second != one.second)
        unclear.insert(one.first);
    }
  }
  std::erase_if(names, [&](const auto& one) {
    return unclear.contains(one.first) || has_name(file.text_of_file(), one.first);
  });
  return names;
}

// Whether two lines that are the same otherwise differ in more than blanks: in their quotes.
bool has_other_signs(std::string_view a, std::string_view b) {
  const auto compact = [](std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (!is_blank(c)) result += c;
    }
    return result;
  };
  return compact(a) != compact(b);
}

class HunkMerger {
 public:
  HunkMerger(const FileLines& file, const Replaced& hunk, const LooseMatch& match)
      : file_(file), hunk_(hunk), match_(match) {}

  Result<std::vector<LineSpan>> merge(const std::string& doubt) {
    Strings both = hunk_.old_lines;
    both.insert(both.end(), hunk_.new_lines.begin(), hunk_.new_lines.end());
    IndentMap indentation(indent_step_of(both), file_.indent_step());
    for (std::size_t i = 0; i < hunk_.old_lines.size(); ++i) {
      if (match_.file_lines[i] >= 0)
        indentation.learn(hunk_.old_lines[i], file_.line(match_.file_lines[i]));
    }
    std::vector<LineSpan> spans;
    for (const LineChange& change :
         changes_of(hunk_.old_lines, hunk_.new_lines, hunk_.marked, false)) {
      std::optional<LineSpan> span = place_of(change);
      if (!span) return Error(kNotShown);
      if (span->doubt.empty()) span->doubt = doubt;
      std::optional<Strings> lines = indentation(merged_lines(change, *span));
      if (!lines) return Error("the indentation of the change does not match the file");
      span->lines = std::move(*lines);
      span->is_exact = true;
      spans.push_back(std::move(*span));
    }
    // One part of a hunk is not right without the others.
    const auto doubtful =
        std::ranges::find_if_not(spans, [](const LineSpan& span) { return span.doubt.empty(); });
    if (doubtful == spans.end()) return spans;
    const std::string reason = doubtful->doubt;
    for (LineSpan& span : spans) {
      if (span.doubt.empty()) span.doubt = reason;
    }
    return spans;
  }

 private:
  int there(int old_line) const {
    const bool is_line = old_line >= 0 && old_line < static_cast<int>(hunk_.old_lines.size());
    return is_line ? match_.file_lines[index(old_line)] : -1;
  }

  // Whether a line between two others is blank, or another old line.
  bool is_shown(int line) const {
    return file_.text(line).empty() ||
           std::ranges::find(match_.file_lines, line) != match_.file_lines.end();
  }

  // Whether the file has lines between two that are adjacent in the hunk.
  bool has_further_lines(int above, int below) const {
    for (int line = above + 1; above >= 0 && line < below; ++line) {
      if (!file_.text(line).empty()) return true;
    }
    return false;
  }

  bool has_further_lines_near(const LineChange& change) const {
    constexpr int kNear = 2;
    int above = -1;  // the last line that the file has
    for (int i = change.old_begin - kNear; i <= change.old_end + kNear; ++i) {
      const int line = there(i);
      if (line < 0) continue;
      if (has_further_lines(above, line)) return true;
      above = line;
    }
    return false;
  }

  static std::string have_changed(int line) {
    return "the lines around line " + std::to_string(line + 1) + " have changed";
  }

  std::optional<LineSpan> place_of(const LineChange& change) const {
    return change.old_begin == change.old_end ? place_of_addition(change) : place_of_lines(change);
  }

  std::optional<LineSpan> place_of_lines(const LineChange& change) const {
    LineSpan span{.begin = file_.size()};
    for (int i = change.old_begin; i < change.old_end; ++i) {
      const int line = there(i);
      const std::string& text = hunk_.old_lines[index(i)];
      if (line < 0 && trimmed(text).empty()) continue;
      if (line < 0) {
        span.doubt =
            "the file lacks '" + std::string(trimmed(text)) + "', which the change removes";
        continue;
      }
      span.begin = std::min(span.begin, line);
      span.end = std::max(span.end, line + 1);
      if (!match_.is_same[index(i)] || has_other_signs(text, file_.text(line)))
        span.doubt = "line " + std::to_string(line + 1) + " differs from what the change removes";
    }
    if (span.begin >= span.end) return std::nullopt;
    for (int line = span.begin; line < span.end; ++line) {
      if (!is_shown(line)) return std::nullopt;
    }
    if (has_further_lines_near(change) && span.doubt.empty()) span.doubt = have_changed(span.begin);
    return span;
  }

  // New lines alone go directly below the line above them, or above the one below them.
  std::optional<LineSpan> place_of_addition(const LineChange& change) const {
    const int above = there(change.old_begin - 1), below = there(change.old_begin);
    if (above < 0 && below < 0) return std::nullopt;
    const int line = above >= 0 ? above + 1 : below;
    LineSpan span{.begin = line, .end = line};
    const bool lacks_neighbour =
        (above < 0 && change.old_begin > 0) ||
        (below < 0 && change.old_begin < static_cast<int>(hunk_.old_lines.size()));
    if (lacks_neighbour || has_further_lines_near(change)) span.doubt = have_changed(line);
    return span;
  }

  // The new lines, with what the file has changed in the lines that they come from.
  Strings merged_lines(const LineChange& change, LineSpan& span) const {
    Strings lines = change.new_lines;
    std::size_t next = 0;  // lines keep their order
    for (int i = change.old_begin; i < change.old_end; ++i) {
      const std::string_view base = trimmed(hunk_.old_lines[index(i)]);
      std::optional<std::size_t> from;
      double best = kLeastLikeness;
      for (std::size_t k = next; k < lines.size(); ++k) {
        const double alike = likeness(base, lines[k]);
        if (alike <= best) continue;
        best = alike;
        from = k;
      }
      if (!from) continue;
      next = *from + 1;
      const int line = there(i);
      if (line < 0 || match_.is_same[index(i)]) continue;
      std::string& fresh = lines[*from];
      const std::size_t deep = indentation_of(fresh).size();
      const auto merged =
          merged_line(base, file_.text(line), trimmed(std::string_view(fresh).substr(deep)));
      if (merged)
        fresh = fresh.substr(0, deep) + *merged;
      else
        span.doubt =
            "line " + std::to_string(line + 1) + " and the change differ in the same words";
    }
    return lines;
  }

  const FileLines& file_;
  const Replaced& hunk_;
  const LooseMatch& match_;
};

// Why a place may be the wrong one; empty: it is beyond question.
std::string doubt_about(const Replaced& hunk, const LooseMatch& match) {
  int n_same = 0;
  for (std::size_t i = 0; i < hunk.old_lines.size(); ++i)
    n_same += match.is_same[i] && is_telling(trimmed(hunk.old_lines[i])) ? 1 : 0;
  const bool is_sure = match.score >= kSureScore && match.margin >= kSureMargin && n_same > 0;
  return is_sure ? std::string()
                 : "the change was written for other lines than " +
                       std::to_string(match.begin + 1) + "-" + std::to_string(match.end);
}

}  // namespace

Result<std::vector<LineSpan>> merge_hunk(const FileLines& file, const Replaced& hunk) {
  std::vector<LooseMatch> matches = loose_matches(file, hunk.old_lines, 1);
  if (matches.empty()) return Error("nothing in the file is like the change");
  Replaced renamed = hunk;
  const Names names = renamed_since(file, hunk, matches.front());
  if (!names.empty()) {
    for (std::string& line : renamed.old_lines) line = with_names(line, names);
    for (std::string& line : renamed.new_lines) line = with_names(line, names);
    matches = loose_matches(file, renamed.old_lines, 1);
    if (matches.empty()) return Error("nothing in the file is like the change");
  }
  const LooseMatch& match = matches.front();
  if (match.score < kLeastScore) return Error("nothing in the file is like the change");
  if (match.margin < kLeastMargin) return Error("several places are equally like the change");
  return HunkMerger(file, renamed, match).merge(doubt_about(renamed, match));
}

}  // namespace redraft
