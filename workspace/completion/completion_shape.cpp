#include "workspace/completion/completion_shape.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "languages/languages.h"
#include "text/strings/blank_text.h"
#include "text/strings/lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

constexpr int kMaxLines = 24;
constexpr std::size_t kTabColumns = 8;  // any value works for a text that only has tabs
constexpr std::size_t kMaxDoubledLines = 8;
// Two equal lines with this many bytes together are not a coincidence.
constexpr std::size_t kMinRepeatedBytes = 24;

constexpr std::string_view kBrackets = ")]}";
constexpr std::string_view kClosers = ")]}>;,'\"`";
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string_view below_line(std::string_view text) { return text.substr(first_line(text).size()); }

// Columns before the first non-blank character; nullopt for a blank line.
std::optional<std::size_t> indentation(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == '\t') {
      columns += kTabColumns - columns % kTabColumns;
    } else if (c == ' ') {
      ++columns;
    } else {
      return c == '\r' || c == '\n' ? std::nullopt : std::optional(columns);
    }
  }
  return std::nullopt;
}

const std::vector<std::string_view>& closing_words() {
  static const std::vector<std::string_view> words = words_of_all(&Language::closing_words);
  return words;
}

bool only_closers(std::string_view line) {
  const std::string_view text = trimmed(line);
  return std::ranges::find(closing_words(), text) != closing_words().end() ||
         (!text.empty() && text.find_first_not_of(kClosers) == std::string_view::npos);
}

// Whether an incomplete line may become one that closes a block.
bool may_close(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.find_first_not_of(kClosers) == std::string_view::npos ||
         std::ranges::any_of(closing_words(),
                             [&](std::string_view word) { return word.starts_with(text); });
}

bool ends_with_word(std::string_view line, std::string_view word) {
  if (!line.ends_with(word)) return false;
  if (line.size() == word.size()) return true;
  return !std::isalnum(static_cast<unsigned char>(line[line.size() - word.size() - 1]));
}

// Whether the text before the cursor opens a block.
bool opens_block(std::string_view line, std::string_view language_id) {
  line = trimmed(line);
  if (line.empty()) return false;
  if (line.ends_with('{')) return true;
  const Language* const language = find_language(language_id);
  if (language == nullptr) return false;
  if (const IndentedBlocks* const blocks = language->indented_blocks) {
    const std::string_view first = line.substr(0, line.find_first_of(" \t:"));
    return line.ends_with(':') && !first.empty() && has_word(blocks->heads, first);
  }
  const std::vector<std::string_view> words = split_words(*language->block_words);
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return ends_with_word(line, word); });
}

std::string_view without_blank_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

// Newlines before the first non-blank character.
std::size_t newlines_at_front(std::string_view text) {
  const auto front = text.substr(0, text.find_first_not_of(" \t\r\n"));
  return static_cast<std::size_t>(std::ranges::count(front, '\n'));
}

// The lines of `text` that are not blank, trimmed; at most `most`.
std::vector<std::string_view> lines_of(std::string_view text, std::size_t most) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const std::string_view line = trimmed(take_line(text));
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// The blanks at the end of a text; if they contain line breaks, from the last of those on.
std::string_view blank_end(std::string_view text) {
  const std::string_view blanks = text.substr(without_blank_end(text).size());
  const std::size_t newline = blanks.rfind('\n');
  return newline == std::string_view::npos ? blanks : blanks.substr(newline);
}

}  // namespace

CompletionShape completion_shape(std::string_view text, std::size_t offset,
                                 std::string_view language_id, int max_blocks) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view before = text.substr(begin, offset - begin);
  const std::string_view rest = trimmed(first_line(text.substr(offset)));
  const bool before_line = before.empty() && !rest.empty();
  const Language* const language = find_language(language_id);
  CompletionShape shape;
  if (language != nullptr && trimmed(before).find_first_not_of(kClosers) == before.npos)
    shape.keywords = *language->keywords;
  if (!rest.empty() && !only_closers(rest) && !before_line) return shape;
  if (trimmed(before).empty()) {
    shape.single_line = false;
    shape.indent = indentation(std::string(before) + "x").value_or(0);
    shape.max_lines = kMaxLines;
    shape.max_blocks = before.empty() ? max_blocks : 0;
    shape.before_line = before_line;
  } else if (opens_block(before, language_id)) {
    shape.single_line = false;
    shape.indent = indentation(before).value_or(0);
    shape.opens_block = true;
    shape.max_lines = kMaxLines;
  }
  return shape;
}

CompletionLimit::CompletionLimit(const CompletionShape& shape, const CursorText& around)
    : shape_(shape), suffix_(around.after), is_on_own_line_(is_blank_text(around.line_before())) {
  ahead_ = lines_of(shape.before_line ? suffix_ : below_line(suffix_), kMaxDoubledLines);
}

// Whether the model has begun to repeat the text after the cursor, or closes what the line below
// closes.
bool CompletionLimit::repeats_suffix(std::size_t begin, std::size_t end) {
  const std::string_view line = trimmed(std::string_view(text_).substr(begin, end - begin));
  if (line.empty()) return false;
  const bool is_own_line = begin > 0 || is_on_own_line_;
  if (is_own_line && !shape_.before_line && repeated_ == 0 && !ahead_.empty() &&
      line == ahead_.front() && closes_unopened(std::string_view(text_).substr(0, end))) {
    before_repeated_ = kept_;
    return true;
  }
  if (repeated_ < ahead_.size() && line != ahead_[repeated_]) repeated_ = repeated_bytes_ = 0;
  if (repeated_ >= ahead_.size() || line != ahead_[repeated_]) return false;
  if (repeated_ == 0) before_repeated_ = kept_;
  ++repeated_;
  repeated_bytes_ += line.size();
  return repeated_ >= 2 && repeated_bytes_ >= kMinRepeatedBytes;
}

std::string_view CompletionLimit::text() const {
  const std::string_view written = text_;
  if (!shape_.before_line) return written.substr(0, end_);
  return written.substr(0, written.find_first_not_of(" \t\r\n", end_));
}

bool CompletionLimit::add(std::string_view bytes) {
  if (done_) return false;
  text_ += bytes;
  while (!done_) {
    const std::size_t newline = text_.find('\n', checked_);
    const bool complete = newline != std::string::npos;
    const std::size_t end = complete ? newline : text_.size();
    done_ = ends_with_line(checked_, end, complete);
    if (!complete || done_) break;
    if (repeats_suffix(checked_, newline)) {
      end_ = before_repeated_;
      done_ = true;
      break;
    }
    checked_ = newline + 1;
    kept_ = end_;
    ++lines_;
  }
  return !done_;
}

void CompletionLimit::finish() {
  if (!std::exchange(done_, true)) ends_with_line(checked_, text_.size(), true);
}

// Whether the line at `begin`, indented by `columns`, begins one block too many. Called repeatedly
// while the line is written; its indentation is complete.
bool CompletionLimit::ends_blocks(std::size_t begin, std::size_t columns) {
  const bool behind_blank_line = begin > kept_ + 1 && kept_ > 0;
  if (!behind_blank_line || columns > *first_ || begin == last_block_) return false;
  last_block_ = begin;
  return ++blocks_ >= shape_.max_blocks;
}

// Judges one line as far as it is written: whether the completion ends with it or before it.
bool CompletionLimit::ends_with_line(std::size_t begin, std::size_t end, bool complete) {
  const std::string_view line = std::string_view(text_).substr(begin, end - begin);
  const std::optional<std::size_t> columns = indentation(line);
  if (shape_.single_line || lines_ == 0) {
    end_ = end;
    first_ = columns;
    return shape_.single_line && complete;
  }
  if (!columns) return false;  // blank so far; counts with the text after it
  if (!first_) first_ = columns;
  if (lines_ >= shape_.max_lines) return true;
  const bool outside =
      *columns < shape_.indent || (shape_.opens_block && *columns == shape_.indent);
  if (!outside) {
    if (shape_.max_blocks > 0 && ends_blocks(begin, *columns)) return true;
    end_ = end;
    return false;
  }
  const bool beside = shape_.opens_block && *columns == shape_.indent;
  if (!beside || !(complete ? only_closers(line) : may_close(line))) return true;
  if (!complete) return false;
  const std::vector<std::string_view> next = lines_of(suffix_, 1);
  // If the editor has inserted the closing bracket after the cursor, that bracket gets its own
  // line: keep the line break before it, which trimmed_completion() would remove.
  const std::string_view behind = trimmed(first_line(suffix_));
  const bool closed_here = !behind.empty() && kBrackets.find(behind.front()) != std::string::npos;
  if (next.empty() || next.front() != trimmed(line) || closed_here) end_ = end;
  return true;
}

std::string trimmed_completion(std::string_view completion, const CursorText& around,
                               bool before_line) {
  const std::string_view suffix = around.after;
  std::string_view text = before_line ? completion : part_before_rest(completion, around);
  const std::string_view end = blank_end(text);
  text = without_blank_end(text);
  // The rest of the cursor's own line is not the next line.
  const std::vector<std::string_view> next =
      lines_of(before_line ? suffix : below_line(suffix), kMaxDoubledLines);
  const std::vector<std::string_view> own = lines_of(text, text.size());
  for (std::size_t count = std::min(next.size(), own.size()); count > 0; --count) {
    if (!std::equal(own.end() - static_cast<std::ptrdiff_t>(count), own.end(), next.begin()))
      continue;
    // A single closing bracket ends many blocks, so it proves nothing.
    const bool own_end = count == 1 && own.size() > 1 && only_closers(next.front());
    if (own_end && !closes_unopened(text)) break;
    const auto begin = static_cast<std::size_t>(own[own.size() - count].data() - text.data());
    text = without_blank_end(text.substr(0, begin));
    break;
  }
  if (text.empty()) return {};
  if (!before_line) return std::string(text) + std::string(end);
  const std::size_t newlines = newlines_at_front(completion.substr(text.size()));
  const bool cut_off = newlines == 0 && text.find('\n') != std::string_view::npos;
  return std::string(text) + std::string(cut_off ? 1 : newlines, '\n');
}

}  // namespace redraft
