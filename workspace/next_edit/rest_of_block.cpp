#include "workspace/next_edit/rest_of_block.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "languages/languages.h"
#include "text/strings/blank_text.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"
#include "workspace/documents/edit_region.h"
#include "workspace/documents/reindent.h"
#include "workspace/next_edit/change_words.h"

namespace redraft {
namespace {

std::size_t depth(std::string_view line) { return indentation_of(line).size(); }

std::string_view first_word(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.empty() ? std::string_view() : words.front();
}

bool is_one_of(std::string_view word, std::string_view words) {
  return !word.empty() && has_word(words, word);
}

// Whether deeper lines may follow.
bool is_head(std::string_view line) {
  const std::string_view text = trimmed(line);
  return !text.empty() && std::string_view(":([{,\\").find(text.back()) != std::string_view::npos;
}

// `else` and the like are written to get a new body.
bool opens_block(const IndentedBlocks& blocks, std::string_view line) {
  return trimmed(line).ends_with(':') && is_one_of(first_word(line), blocks.wrapping_heads);
}

// A statement that is as deep as its first line goes on with it.
bool continues_statement(const IndentedBlocks& blocks, std::string_view line) {
  return is_one_of(first_word(line), blocks.continuing);
}

bool is_comment(const Language& language, std::string_view line) {
  return std::ranges::any_of(*language.comments, [&](const CommentMarks& marks) {
    return trimmed(line).starts_with(marks.open);
  });
}

// Whether no bracket and no string of several lines begins in the lines and ends elsewhere, or the
// other way round, as far as counting tells.
bool is_whole(const IndentedBlocks& blocks, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (const std::string_view quote : split_words(blocks.long_quotes)) {
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
    if (is_blank_text(*before)) continue;
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
    if (is_blank_text(line)) continue;
    if (trimmed(above).ends_with(':') && depth(line) > depth(above) &&
        line.starts_with(indentation_of(above)))
      return std::string(indentation_of(line).substr(depth(above)));
    above = line;
  }
  return "    ";
}

class Search {
 public:
  // `language` has indented blocks.
  Search(const std::vector<RecentChange>& recent, const RecentChange& change, EditRegion file,
         const Language& language)
      : recent_(recent),
        change_(change),
        file_(std::move(file)),
        language_(language),
        blocks_(**language.indented_blocks) {}

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
    const auto is_above = [&](std::string_view text) {
      return is_blank_text(text) || is_comment(language_, text) ||
             trimmed(text).starts_with(blocks_.decorator);
    };
    while (first < size() && is_above(line(first))) ++first;
    if (first >= size() || change_at(first) != nullptr || indentation_of(line(first)) != from ||
        indentation_of(line(begin)) != from || continues_statement(blocks_, line(first)))
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
    while (at < size() && is_blank_text(line(at))) ++at;
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
      if (is_blank_text(line(at)) || is_comment(language_, line(at))) continue;
      const std::size_t deep = depth(line(at));
      if (change_at(at) != nullptr || deep < least ||
          (deep == least && !continues_statement(blocks_, line(at))))
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
    if (!moved || !is_whole(blocks_, lines)) return std::nullopt;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_blank_text(lines[i])) (*moved)[i] = lines[i];
    }
    return CertainEdit{file_.shared_document(), file_.edit({begin, end, std::move(*moved)})};
  }

  const std::vector<RecentChange>& recent_;
  const RecentChange& change_;
  EditRegion file_;
  const Language& language_;
  const IndentedBlocks& blocks_;
};

// Null: the change is not looked at.
const Language* searched_language(const RecentChange& change) {
  if (change.after.empty() || change.document->text().size() > kMaxBytesCompared) return nullptr;
  const Language* const language = find_language(change.document->language());
  const bool has_blocks = language != nullptr && *language->indented_blocks != nullptr;
  return has_blocks ? language : nullptr;
}

}  // namespace

std::optional<CertainEdit> find_rest_of_block(const std::vector<RecentChange>& recent,
                                              const IsUnwanted& is_unwanted) {
  for (auto it = recent.rbegin(); it != recent.rend(); ++it) {
    const RecentChange& change = *it;
    const Language* const language = searched_language(change);
    if (language == nullptr) continue;
    const std::optional<MovedLines> moved = moved_lines(change);
    const std::string& last = change.after.back();
    if (!moved && (change.after.size() <= change.before.size() ||
                   !opens_block(**language->indented_blocks, last)))
      continue;
    Result<EditRegion> file = EditRegion::make(change.document, EditScope::kFile, {});
    if (!file) continue;
    const Search search(recent, change, std::move(*file), *language);
    auto found = moved ? search.rest_of(*moved) : search.body_of(last);
    if (found && !(is_unwanted && is_unwanted(*found->document, found->edit))) return found;
  }
  return std::nullopt;
}

}  // namespace redraft
