#include "workspace/apply/hunk_place.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/canonical_text.h"
#include "workspace/apply/hunk_changes.h"
#include "workspace/apply/hunk_match.h"
#include "workspace/apply/hunk_merge.h"
#include "workspace/apply/hunk_ways.h"
#include "workspace/apply/line_alignment.h"
#include "workspace/documents/diff.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;

std::string shown_line(std::string_view line) {
  constexpr std::size_t kLongest = 40;  // in bytes; names are usually ASCII
  const std::string_view text = trimmed(line);
  if (text.size() <= kLongest) return "'" + std::string(text) + "'";
  std::size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "'" + std::string(text.substr(0, end)) + "...'";
}

bool is_blank(const std::string& line) { return trimmed(line).empty(); }

// What is known of where a hunk belongs.
struct Search {
  std::vector<HunkMatch> matches;
  // The lines, if they do not come from a match: the file has them already, or they are only added.
  std::optional<std::vector<LineSpan>> spans = {};
  DecidedBy decided_by = DecidedBy::kLines;  // which of the matches it is
};

// The old lines that are left of a hunk's new lines after it was placed at a match.
bool is_done(const FileLines& file, const HunkMatch& match) {
  const auto at = std::search(
      match.new_lines.begin(), match.new_lines.end(), match.old_lines.begin(),
      match.old_lines.end(),
      [](const std::string& a, const std::string& b) { return trimmed(a) == trimmed(b); });
  if (at == match.new_lines.end() || match.new_lines.size() == match.old_lines.size()) return false;
  const auto before = static_cast<int>(at - match.new_lines.begin());
  return file.has_at(match.place - before, match.new_lines);
}

// Whether a line that a match adds says more than a brace does.
bool adds_telling_lines(const HunkMatch& match) {
  return std::ranges::any_of(match.new_lines, [&](const std::string& line) {
    return is_telling(line) && std::ranges::find(match.old_lines, line) == match.old_lines.end();
  });
}

class HunkPlacer {
 public:
  HunkPlacer(const FileLines& file, const SyntaxTree* tree, const std::vector<Replaced>& hunks,
             Strictness strictness)
      : file_(file), tree_(tree), hunks_(hunks), strictness_(strictness) {}

  Result<std::vector<LineSpan>> place() {
    for (const Replaced& hunk : hunks_) {
      Result<Search> found = search(hunk);
      if (!found) return found.error();
      searches_.push_back(std::move(*found));
    }
    narrow_by_order();
    std::vector<LineSpan> spans;
    for (std::size_t i = 0; i < hunks_.size(); ++i) {
      Result<std::vector<LineSpan>> some = spans_of(hunks_[i], searches_[i]);
      if (!some) return some.error();
      for (LineSpan& span : *some) {
        span.origin.part = static_cast<int>(i);
        span.origin.shows_removed = true;
      }
      std::ranges::move(*some, std::back_inserter(spans));
    }
    return spans;
  }

 private:
  Result<Search> search(const Replaced& hunk) const {
    if (!hunk.doubt.empty()) return Error(hunk.doubt);
    if (std::ranges::all_of(hunk.old_lines, is_blank)) return search_addition(hunk);
    Result<std::vector<HunkMatch>> found = match_hunk(file_, hunk);
    if (!found) return found.error();
    if (found->empty()) return search_missing(hunk);
    Search search{.matches = std::move(*found)};
    narrow(hunk, search);
    if (search.matches.size() == 1) {
      const Result<void> checked = check_place(hunk, search.matches.front());
      if (!checked) return checked.error();
    }
    return search;
  }

  // New lines without old ones: only numbers say where they go. A heading says where to search, and
  // tools do not agree whether lines go to the beginning or the end of what it heads.
  Result<Search> search_addition(const Replaced& hunk) const {
    if (file_.size() == 0) return Search{{}, std::vector{LineSpan{0, 0, hunk.new_lines, true}}};
    if (hunk.has_sure_numbers && hunk.line && hunk.old_lines.empty()) return added_at_line(hunk);
    return Error("the change does not say where its new lines go");
  }

  Result<Search> added_at_line(const Replaced& hunk) const {
    const int line = *hunk.line;
    if (line > file_.size()) return Error("the file has no line " + std::to_string(line));
    if (has_all_numbered() && std::ranges::any_of(hunk.new_lines, is_telling))
      return Search{{}, std::vector<LineSpan>()};
    if (!file_.has_at(line, hunk.new_lines))
      return Search{{}, std::vector{LineSpan{line, line, hunk.new_lines, true}}};
    return Error(shown_line(hunk.new_lines.front()) + " may be in the file already");
  }

  // Whether the new lines of all hunks with sure numbers are where the diff puts them.
  bool has_all_numbered() const {
    return std::ranges::all_of(hunks_, [&](const Replaced& hunk) {
      return !hunk.has_sure_numbers || file_.has_at(hunk.new_line, hunk.new_lines);
    });
  }

  bool changes_any(const std::vector<LineSpan>& spans) const {
    return std::ranges::any_of(spans,
                               [&](const LineSpan& span) { return !file_.edits({span}).empty(); });
  }

  // Whether new lines that the file has say that the hunk was carried out. What a hunk that only
  // removes leaves may be anywhere: then the lines that it removes are gone.
  bool is_carried_out(const Replaced& hunk) const {
    const auto is_in = [](const Strings& lines, const std::string& line) {
      return std::ranges::any_of(
          lines, [&](const std::string& other) { return trimmed(other) == trimmed(line); });
    };
    const auto is_added = [&](const std::string& line) {
      return is_telling(line) && !is_in(hunk.old_lines, line);
    };
    if (std::ranges::any_of(hunk.new_lines, is_added)) return true;
    const bool keeps_both_ends = is_telling(hunk.new_lines.front()) &&
                                 is_telling(hunk.new_lines.back()) && hunk.new_lines.size() > 1;
    return keeps_both_ends && std::ranges::none_of(hunk.old_lines, [&](const std::string& line) {
             return is_telling(line) && !is_in(hunk.new_lines, line) &&
                    !file_.places_of(trimmed(line)).empty();
           });
  }

  // The old lines are not in the file: perhaps the new ones are.
  Result<Search> search_missing(const Replaced& hunk) const {
    const bool says_something = std::ranges::any_of(hunk.new_lines, is_telling);
    if (says_something && has_lines(file_, hunk.new_lines) && is_carried_out(hunk))
      return Search{{}, std::vector<LineSpan>()};
    if (strictness_ == Strictness::kLoose) {
      Result<std::vector<LineSpan>> merged = merge_hunk(file_, hunk);
      if (merged && changes_any(*merged)) return Search{{}, std::move(*merged)};
      if (!merged) return merged.error();
    }
    const auto missing = std::ranges::find_if(hunk.old_lines, [&](const std::string& line) {
      return file_.places_of(trimmed(line)).empty();
    });
    if (missing == hunk.old_lines.end())
      return Error("the lines from " + shown_line(hunk.old_lines.front()) +
                   " are not adjacent in the file");
    return Error(shown_line(*missing) + " is not in the file");
  }

  // Leaves the matches that are best by what the hunk says.
  void narrow(const Replaced& hunk, Search& search) const {
    std::vector<HunkMatch>& matches = search.matches;
    const auto keep = [&](const auto& fits) {
      std::vector<HunkMatch> some;
      std::ranges::copy_if(matches, std::back_inserter(some), fits);
      if (!some.empty()) matches = std::move(some);
    };
    if (matches.size() == 1) return;
    keep([](const HunkMatch& one) { return one.has_same_blank_lines; });
    keep([&](const HunkMatch& one) { return is_as_it_is(one); });
    if (hunk.ends_file) {
      keep([&](const HunkMatch& one) {
        return one.place + static_cast<int>(one.old_lines.size()) == file_.size();
      });
    }
    constexpr std::size_t kMaxMatches = 100;  // each requires a walk through the definitions
    if (!hunk.headings.empty() && matches.size() > 1 && matches.size() <= kMaxMatches) {
      const std::vector<Definition> definitions =
          tree_ == nullptr ? std::vector<Definition>() : tree_->definitions();
      keep([&](const HunkMatch& one) { return is_below(definitions, one.place, hunk.headings); });
      if (matches.size() == 1) search.decided_by = DecidedBy::kTree;
    }
    if (hunk.line) keep([&](const HunkMatch& one) { return one.place == *hunk.line; });
    keep([](const HunkMatch& one) { return one.line == one.place; });
  }

  // The only match may still be the wrong one: the change was made already, and the lines are at
  // another place, too. A diff of git may state the heading before the right one.
  Result<void> check_place(const Replaced& hunk, const HunkMatch& match) const {
    const bool says_something = std::ranges::any_of(hunk.new_lines, is_telling);
    if (hunk.line && *hunk.line != match.place && says_something &&
        file_.has_at(*hunk.line, hunk.new_lines))
      return Error("line " + std::to_string(*hunk.line + 1) + " has the new lines already");
    if (hunk.line || hunk.headings.empty() || tree_ == nullptr) return {};
    const std::vector<Definition> definitions = tree_->definitions();
    for (const std::string& heading : hunk.headings) {
      const bool is_known = std::ranges::any_of(definitions, [&](const Definition& one) {
        return is_headed(one, file_.size(), heading);
      });
      if (is_known && !is_below(definitions, match.place, {heading}))
        return Error(shown_line(hunk.old_lines.front()) + " is not below " + shown_line(heading));
    }
    return {};
  }

  bool is_as_it_is(const HunkMatch& match) const {
    for (std::size_t i = 0; i < match.old_lines.size(); ++i) {
      const std::string_view there = file_.line(match.place + static_cast<int>(i));
      if (!is_blank(match.old_lines[i]) &&
          indentation_of(there) != indentation_of(match.old_lines[i]))
        return false;
    }
    return true;
  }

  // Whether the line is within what the headings begin.
  bool is_below(const std::vector<Definition>& definitions, int line,
                const Strings& headings) const {
    return std::ranges::all_of(headings, [&](const std::string& heading) {
      return std::ranges::any_of(definitions, [&](const Definition& one) {
        const auto [begin, end] = file_.lines_of(one.range);
        return line >= begin && line < end && is_headed(one, line, heading);
      });
    });
  }

  // Whether a line up to the definition's name, and above `line`, begins with the heading.
  bool is_headed(const Definition& one, int line, const std::string& heading) const {
    const auto [begin, end] = file_.lines_of(one.range);
    for (int i = begin; i < std::min(end, line); ++i) {
      if (file_.text(i).starts_with(heading)) return true;
      if (one.name.begin < file_.bytes_of(i + 1, i + 1).begin) break;
    }
    return false;
  }

  // The hunks of a diff are in the order of the file.
  void narrow_by_order() {
    for (std::size_t i = 0; i < hunks_.size(); ++i) {
      std::vector<HunkMatch>& matches = searches_[i].matches;
      if (!hunks_[i].is_of_diff || matches.size() < 2) continue;
      const std::size_t n_alike = number_of_alike(i);
      if (n_alike == matches.size()) {
        for (std::size_t k = 0; k < n_alike; ++k)
          searches_[i + k].matches = {HunkMatch(searches_[i + k].matches[k])};
        continue;
      }
      int begin = 0, end = file_.size();
      for (std::size_t k = 0; k < hunks_.size(); ++k) {
        if (!hunks_[k].is_of_diff || searches_[k].matches.size() != 1) continue;
        const HunkMatch& one = searches_[k].matches.front();
        if (k < i) begin = std::max(begin, one.place + static_cast<int>(one.old_lines.size()));
        if (k > i) end = std::min(end, one.place);
      }
      std::vector<HunkMatch> between;
      std::ranges::copy_if(matches, std::back_inserter(between), [&](const HunkMatch& one) {
        return one.place >= begin && one.place + static_cast<int>(one.old_lines.size()) <= end;
      });
      if (between.size() == 1) matches = std::move(between);
    }
  }

  // How many hunks from this one on have the same old lines, and the same possible places.
  std::size_t number_of_alike(std::size_t i) const {
    std::size_t n = 1;
    while (i + n < hunks_.size() && hunks_[i + n].is_of_diff &&
           hunks_[i + n].old_lines == hunks_[i].old_lines &&
           std::ranges::equal(searches_[i + n].matches, searches_[i].matches, {}, &HunkMatch::place,
                              &HunkMatch::place))
      ++n;
    return n;
  }

  Result<std::vector<LineSpan>> spans_of(const Replaced& hunk, const Search& search) const {
    if (search.spans) return *search.spans;
    const std::vector<HunkMatch>& matches = search.matches;
    const bool all_done =
        std::ranges::all_of(matches, [&](const HunkMatch& one) { return is_done(file_, one); });
    if (all_done && adds_telling_lines(matches.front())) return std::vector<LineSpan>();
    if (matches.size() > 1)
      return Error("the lines from " + shown_line(hunk.old_lines.front()) + " are at " +
                   std::to_string(matches.size()) + " places");
    if (all_done) return Error("the new lines may be in the file already");
    return changed_lines(hunk, matches.front(), search.decided_by);
  }

  // Only the lines that differ between both sides.
  Result<std::vector<LineSpan>> changed_lines(const Replaced& hunk, const HunkMatch& match,
                                              DecidedBy decided_by) const {
    Strings both = match.old_lines;
    both.insert(both.end(), match.new_lines.begin(), match.new_lines.end());
    IndentMap indentation(indent_step_of(both), file_.indent_step());
    for (std::size_t i = 0; i < match.old_lines.size(); ++i)
      indentation.learn(match.old_lines[i], file_.line(match.place + static_cast<int>(i)));
    const bool has_chat_quotes = are_quotes_of_chat(match);
    std::vector<LineSpan> spans;
    for (const LineChange& change : differences(hunk, match)) {
      std::optional<Strings> lines = indentation(change.new_lines);
      if (!lines) return Error("the indentation of the change does not match the file");
      LineSpan span{match.place + change.old_begin,
                    match.place + change.old_end,
                    std::move(*lines),
                    true,
                    {.decided_by = decided_by}};
      const bool is_guess = std::ranges::any_of(
          change.new_lines, [&](const std::string& line) { return indentation.is_guess(line); });
      if (is_guess) span.doubt = "the depth of the new lines is a guess";
      if (has_chat_quotes) {
        for (std::string& line : span.lines) line = with_plain_quotes(line);
      }
      keep_characters(match, change, span);
      spans.push_back(std::move(span));
    }
    return spans;
  }

  // Whether the change has typographic quotes where the file has plain ones, and only there.
  bool are_quotes_of_chat(const HunkMatch& match) const {
    const auto has_them = [](std::string_view line) { return with_plain_quotes(line) != line; };
    bool found = false;
    for (std::size_t i = 0; i < match.old_lines.size(); ++i) {
      if (has_them(file_.line(match.place + static_cast<int>(i)))) return false;
      found |= has_them(match.old_lines[i]);
    }
    return found;
  }

  // Blanks at line ends only count in diffs, or if nothing else changes.
  static std::vector<LineChange> differences(const Replaced& hunk, const HunkMatch& match) {
    if (!hunk.is_of_diff) {
      std::vector<LineChange> changes = changes_of(match.old_lines, match.new_lines, {}, false);
      if (!changes.empty()) return changes;
    }
    const bool has_marks = match.has_same_blank_lines &&
                           match.old_lines.size() == hunk.old_lines.size() &&
                           match.new_lines.size() == hunk.new_lines.size();
    return changes_of(match.old_lines, match.new_lines,
                      has_marks ? hunk.marked : std::vector<MarkedChange>(), true);
  }

  // A line that replaces another keeps the quotes and dashes of the file.
  void keep_characters(const HunkMatch& match, const LineChange& change, LineSpan& span) const {
    if (span.lines.size() != static_cast<std::size_t>(span.end - span.begin)) return;
    for (std::size_t i = 0; i < span.lines.size(); ++i) {
      std::string& line = span.lines[i];
      const std::string_view there = file_.line(span.begin + static_cast<int>(i));
      const std::string& old_line = match.old_lines[static_cast<std::size_t>(change.old_begin) + i];
      const std::size_t deep = indentation_of(line).size();
      line = line.substr(0, deep) +
             changed_in_place(there.substr(indentation_of(there).size()),
                              std::string_view(old_line).substr(indentation_of(old_line).size()),
                              line.substr(deep));
    }
  }

  const FileLines& file_;
  const SyntaxTree* tree_;
  const std::vector<Replaced>& hunks_;
  Strictness strictness_;
  std::vector<Search> searches_;  // of each hunk
};

}  // namespace

Result<std::vector<LineSpan>> place_hunks(const FileLines& file, const SyntaxTree* tree,
                                          const std::vector<Replaced>& hunks,
                                          Strictness strictness) {
  return HunkPlacer(file, tree, hunks, strictness).place();
}

}  // namespace redraft
