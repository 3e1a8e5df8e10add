#include "workspace/next_edit/rest_of_block.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "indexing/syntax/text_lines.h"
#include "support/trimmed.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/reindent.h"
#include "workspace/next_edit/change_words.h"

namespace redraft {
namespace {

bool is_empty(std::string_view line) { return trimmed(line).empty(); }
std::size_t depth(std::string_view line) { return indentation_of(line).size(); }

std::string_view first_word(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.empty() ? std::string_view() : words.front();
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Whether deeper lines may follow.
bool is_head(std::string_view line) {
  const std::string_view text = trimmed(line);
  return !text.empty() && std::string_view(":([{,\\").find(text.back()) != std::string_view::npos;
}

// `else` and the like introduce a new body.
bool opens_block(std::string_view line) {
  return trimmed(line).ends_with(':') &&
         is_one_of(first_word(line), {"if", "for", "while", "with", "try", "async"});
}

// Whether a line with the indentation of the statement's first line continues it.
bool continues_statement(std::string_view line) {
  return is_one_of(first_word(line), {"elif", "else", "except", "finally", ")", "]", "}"});
}

bool is_comment(std::string_view line) { return trimmed(line).starts_with('#'); }

// Whether every bracket and every multi-line string that begins in the lines also ends there, and
// the reverse, as far as counting shows.
bool is_whole(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (const std::string_view quote : {"\"\"\"", "'''"}) {
    int count = 0;
    for (std::size_t at = 0; (at = text.find(quote, at)) != std::string::npos; at += quote.size())
      ++count;
    if (count % 2 != 0) return false;
  }
  for (const std::string_view pair : {"()", "[]", "{}"}) {
    if (std::ranges::count(text, pair[0]) != std::ranges::count(text, pair[1])) return false;
  }
  return true;
}

// Lines that were all moved in the same way.
struct MovedLines {
  Reindent move;
  std::string last;          // its old version
  std::size_t least = 0;     // the smallest indentation among them
  std::size_t deep_now = 0;  // the indentation of the last one
};

// The end of the change, as far as it only moved lines.
std::optional<MovedLines> moved_lines(const RecentChange& change) {
  std::optional<MovedLines> moved;
  auto before = change.before.rbegin(), after = change.after.rbegin();
  for (; before != change.before.rend() && after != change.after.rend(); ++before, ++after) {
    if (trimmed(*before) != trimmed(*after)) break;
    if (is_empty(*before)) continue;
    const Reindent move = Reindent::between(*before, *after);
    if (moved && moved->move != move) break;
    if (!moved) moved = {move, *before, depth(*before), depth(*after)};
    moved->least = std::min(moved->least, depth(*before));
  }
  if (moved && moved->move == Reindent{}) return std::nullopt;
  return moved;
}

// The indentation of a block relative to its head in this file.
std::string step_in(const EditRegion& file) {
  std::string_view above;
  for (const std::string_view line : file.lines()) {
    if (is_empty(line)) continue;
    if (trimmed(above).ends_with(':') && depth(line) > depth(above) &&
        line.starts_with(indentation_of(above)))
      return std::string(indentation_of(line).substr(depth(above)));
    above = line;
  }
  return "    ";
}

class Search {
 public:
  Search(const std::vector<RecentChange>& recent, const RecentChange& change, EditRegion file)
      : recent_(recent), change_(change), file_(std::move(file)) {}

  // `moved`: the lines at the end of the change.
  std::optional<CertainEdit> rest_of(MovedLines moved) const {
    int begin = below(change_);
    // Includes lines moved in the same way after a blank line.
    while (const RecentChange* const next = change_at(begin)) {
      const auto more = moved_lines(*next);
      if (!more || more->move != moved.move || more->least <= moved.least) return std::nullopt;
      moved.last = more->last;
      moved.deep_now = more->deep_now;
      begin = below(*next);
    }
    if (begin == size()) return std::nullopt;
    const std::size_t deep = depth(line(begin));
    // Below a corrected head, the body may be right already; below a line that is not a head,
    // deeper lines were never part of it.
    if (is_head(moved.last) ? deep > moved.deep_now : deep > depth(moved.last)) return std::nullopt;
    return moved_in(begin, end_of(begin, moved.least), moved.move);
  }

  std::optional<CertainEdit> body_of(std::string_view head) const {
    const std::string_view from = indentation_of(head);
    const int begin = below(change_);
    int first = begin;
    const auto is_above = [](std::string_view text) {
      return is_empty(text) || is_comment(text) || trimmed(text).starts_with('@');
    };
    while (first < size() && is_above(line(first))) ++first;
    if (first >= size() || change_at(first) != nullptr || indentation_of(line(first)) != from ||
        indentation_of(line(begin)) != from || continues_statement(line(first)))
      return std::nullopt;
    return moved_in(begin, std::max(first + 1, end_of(first + 1, from.size())),
                    {std::string(from), std::string(from) + step_in(file_)});
  }

 private:
  int size() const { return static_cast<int>(file_.lines().size()); }
  std::string_view line(int at) const { return file_.lines()[static_cast<std::size_t>(at)]; }
  // The first line below a change that is not blank; size(): none.
  int below(const RecentChange& change) const {
    int at = change.end_line();
    while (at < size() && is_empty(line(at))) ++at;
    return at;
  }

  // Null: the line is unchanged.
  const RecentChange* change_at(int at) const {
    const auto change = std::ranges::find_if(recent_, [&](const RecentChange& each) {
      return each.document == change_.document && each.line <= at && at < each.end_line();
    });
    return change == recent_.end() ? nullptr : &*change;
  }

  // Where a statement with the indentation `least` ends. Comments may have any indentation.
  int end_of(int begin, std::size_t least) const {
    int end = begin;
    for (int at = begin; at < size(); ++at) {
      if (is_empty(line(at)) || is_comment(line(at))) continue;
      const std::size_t deep = depth(line(at));
      if (change_at(at) != nullptr || deep < least ||
          (deep == least && !continues_statement(line(at))))
        break;
      end = at + 1;
    }
    return end;
  }

  std::optional<CertainEdit> moved_in(int begin, int end, const Reindent& move) const {
    if (begin >= end) return std::nullopt;
    std::vector<std::string> lines;
    for (int at = begin; at < end; ++at) lines.emplace_back(line(at));
    auto moved = move(lines);
    if (!moved || !is_whole(lines)) return std::nullopt;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_empty(lines[i])) (*moved)[i] = lines[i];
    }
    return CertainEdit{file_.shared_document(), file_.edit({begin, end, std::move(*moved)})};
  }

  const std::vector<RecentChange>& recent_;
  const RecentChange& change_;
  EditRegion file_;
};

bool is_searched(const RecentChange& change) {
  return !change.after.empty() && change.document->language() == "python" &&
         change.document->text().size() <= kMaxBytesCompared;
}

}  // namespace

std::optional<CertainEdit> find_rest_of_block(const std::vector<RecentChange>& recent,
                                              const IsUnwanted& is_unwanted) {
  for (auto it = recent.rbegin(); it != recent.rend(); ++it) {
    const RecentChange& change = *it;
    if (!is_searched(change)) continue;
    const std::optional<MovedLines> moved = moved_lines(change);
    const std::string& last = change.after.back();
    if (!moved && (change.after.size() <= change.before.size() || !opens_block(last))) continue;
    Result<EditRegion> file = EditRegion::make(change.document, EditScope::kFile, {});
    if (!file) continue;
    const Search search(recent, change, std::move(*file));
    auto found = moved ? search.rest_of(*moved) : search.body_of(last);
    if (found && !(is_unwanted && is_unwanted(*found->document, found->edit))) return found;
  }
  return std::nullopt;
}

}  // namespace redraft
