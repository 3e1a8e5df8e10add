#include "workspace/apply/mismatch_search.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/hunk_match.h"
#include "workspace/apply/loose_match.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;

constexpr std::size_t kMaxRegions = 20, kMaxLines = 20, kClosest = 3;
// Two places whose scores differ by less, in lines that say something, are equally close.
constexpr double kLeastMargin = 0.4;
// New lines with this score are in the file.
constexpr double kThere = 0.95;

bool is_blank_line(const std::string& line) { return trimmed(line).empty(); }

FileLineRange range_of(int begin, int end) { return {begin + 1, std::max(end, begin + 1)}; }

// Without the blanks and the quotes in it.
std::string without(std::string_view text, std::string_view characters) {
  std::string result = canonical_text(text);
  std::erase_if(result, [&](char c) { return characters.find(c) != std::string_view::npos; });
  return result;
}

class DifferencesAt {
 public:
  DifferencesAt(const FileLines& file, const Strings& lines, const LooseMatch& match)
      : file_(file), lines_(lines), match_(match) {}

  // What is different, in the order of the file.
  std::vector<DifferentLine> lines() const {
    std::vector<DifferentLine> result;
    int next = match_.begin;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const int there = match_.file_lines[i];
      if (there < 0) {
        if (!is_blank_line(lines_[i])) result.push_back({std::nullopt, lines_[i], std::nullopt});
        continue;
      }
      add_further(next, there, result);
      next = there + 1;
      const std::string text(file_.line(there));
      const bool is_blank = is_blank_line(lines_[i]) && trimmed(text).empty();
      if (text != lines_[i] && !is_blank) result.push_back({there + 1, lines_[i], text});
    }
    if (result.size() > kMaxLines) result.resize(kMaxLines);
    return result;
  }

  MismatchKind kind() const {
    bool differs_in_quotes = false;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const int there = match_.file_lines[i];
      if (there < 0 && is_blank_line(lines_[i])) continue;
      if (there < 0 || !match_.is_same[i]) return MismatchKind::kStaleLines;
      differs_in_quotes |= without(lines_[i], " \t\r\f") != without(file_.line(there), " \t\r\f");
    }
    return differs_in_quotes ? MismatchKind::kQuotes : MismatchKind::kWhitespace;
  }

 private:
  // The lines between that the change lacks.
  void add_further(int begin, int end, std::vector<DifferentLine>& result) const {
    for (int line = begin; line < end; ++line) {
      if (!file_.text(line).empty())
        result.push_back({line + 1, std::nullopt, std::string(file_.line(line))});
    }
  }

  const FileLines& file_;
  const Strings& lines_;
  const LooseMatch& match_;
};

void add_closest(const FileLines& file, const Strings& lines, Mismatch& mismatch) {
  const std::vector<LooseMatch> closest = loose_matches(file, lines, kMaxRegions);
  mismatch.kind = closest.empty() ? MismatchKind::kNothingAlike : MismatchKind::kStaleLines;
  if (closest.empty()) return;
  const bool are_several = closest.front().margin < kLeastMargin && closest.size() > 1;
  const double total = closest.front().worth;
  for (const LooseMatch& one : closest) {
    const bool is_equal = (closest.front().score - one.score) * total < kLeastMargin;
    if (are_several ? is_equal : mismatch.regions.size() < kClosest)
      mismatch.regions.push_back(range_of(one.begin, one.end));
  }
  if (are_several) {
    mismatch.kind = MismatchKind::kSeveralPlaces;
    std::ranges::sort(mismatch.regions, {}, &FileLineRange::first);
    return;
  }
  const DifferencesAt differences(file, lines, closest.front());
  mismatch.kind = differences.kind();
  mismatch.lines = differences.lines();
}

// Whether the file has the new lines rather than the old ones; then the mismatch says so.
bool add_done(const FileLines& file, const Replaced& hunk, Mismatch& mismatch) {
  const auto is_old = [&](const std::string& line) {
    return std::ranges::any_of(
        hunk.old_lines, [&](const std::string& old) { return trimmed(old) == trimmed(line); });
  };
  if (std::ranges::all_of(hunk.new_lines, is_old)) return false;
  const std::vector<LooseMatch> there = loose_matches(file, hunk.new_lines, 1);
  if (there.empty() || there.front().score < kThere) return false;
  mismatch.kind = MismatchKind::kAlreadyThere;
  mismatch.regions = {range_of(there.front().begin, there.front().end)};
  return true;
}

}  // namespace

Mismatch mismatch_of(const FileLines& file, const Replaced& hunk, int part, std::string reason) {
  Mismatch mismatch{.part = part, .reason = std::move(reason)};
  if (!hunk.doubt.empty()) return mismatch;
  if (std::ranges::all_of(hunk.old_lines, is_blank_line)) {
    mismatch.kind = MismatchKind::kNoLocation;
    return mismatch;
  }
  const Result<std::vector<HunkMatch>> matches = match_hunk(file, hunk);
  if (matches && !matches->empty()) {
    for (const HunkMatch& one : *matches) {
      if (mismatch.regions.size() == kMaxRegions) break;
      mismatch.regions.push_back(
          range_of(one.place, one.place + static_cast<int>(one.old_lines.size())));
    }
    if (matches->size() > 1) mismatch.kind = MismatchKind::kSeveralPlaces;
    return mismatch;
  }
  if (!add_done(file, hunk, mismatch)) add_closest(file, hunk.old_lines, mismatch);
  return mismatch;
}

Mismatch mismatch_of(const FileLines& file, const CodeSnippet& snippet, int part,
                     std::string reason) {
  Mismatch mismatch{.part = part, .reason = std::move(reason)};
  Strings lines;
  for (const CodeSnippet::Line& line : snippet.lines) {
    if (!line.is_ellipsis) lines.push_back(line.text);
  }
  add_closest(file, lines, mismatch);
  // Its new lines are among them.
  if (mismatch.kind == MismatchKind::kStaleLines) mismatch.kind = MismatchKind::kOther;
  mismatch.lines.clear();
  return mismatch;
}

}  // namespace redraft
