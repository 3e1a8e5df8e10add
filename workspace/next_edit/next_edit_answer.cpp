#include "workspace/next_edit/next_edit_answer.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "support/utf8/utf8.h"
#include "text/strings/lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

std::string without(std::string text, std::string_view mark) {
  if (mark.empty()) return text;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.erase(at, mark.size());
  return text;
}

std::string without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::string(line);
}

// The lines of a text without a final line end; an empty text is one empty line.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split_separated(text, '\n'))
    lines.push_back(without_return(line));
  return lines;
}

std::string_view without_last_end(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// A mark of a region in an answer.
struct Mark {
  std::size_t begin, end;  // in the text
  std::size_t number;
};

std::vector<Mark> marks_in(std::string_view text) {
  constexpr std::string_view kBegin = "<|marker_", kEnd = "|>";
  std::vector<Mark> marks;
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos;
       at = text.find(kBegin, at + 1)) {
    const char* digits = text.data() + at + kBegin.size();
    std::size_t number = 0;
    const auto [stop, problem] = std::from_chars(digits, text.data() + text.size(), number);
    const auto end = static_cast<std::size_t>(stop - text.data());
    if (problem == std::errc() && text.substr(end).starts_with(kEnd))
      marks.push_back({at, end + kEnd.size(), number});
  }
  return marks;
}

}  // namespace

NextEditAnswer::NextEditAnswer(const NextEditFormat& format, const NextEditPrompt& prompt)
    : format_(format),
      prompt_(prompt),
      original_(prompt.window.begin(), prompt.window.end()),
      diff_(original_) {
  // They are the original's own lines, so they cause no change.
  for (int line = 0; line < prompt.prefilled; ++line)
    (void)diff_.add(prompt.window[static_cast<std::size_t>(line)]);
}

bool NextEditAnswer::add(std::string_view bytes) {
  text_ += bytes;
  if (format_.answer == NextEditFormat::Answer::kSpan) return true;
  for (std::size_t end = text_.find('\n', taken_); end != std::string::npos;
       end = text_.find('\n', taken_)) {
    take(text_.substr(taken_, end - taken_));
    taken_ = end + 1;
    if (closed_ || nothing_ || !changes_.empty()) return false;
  }
  return true;
}

void NextEditAnswer::take(std::string line) {
  line = without(without_return(std::move(line)), format_.cursor);
  const std::string_view opening = trimmed(format_.opening), closing = trimmed(format_.closing);
  if (!std::exchange(begun_, true) && !opening.empty() && trimmed(line) == opening) return;
  if (!closing.empty() && line.find(closing) != std::string::npos) {
    closed_ = true;
  } else if (means_nothing(line)) {
    nothing_ = true;
  } else {
    changes_ = diff_.add(std::move(line));
  }
}

std::optional<NextEditAnswer::Lines> NextEditAnswer::window(bool complete) const {
  if (nothing_) return std::nullopt;
  if (!changes_.empty()) return with_changes();
  if (!complete && !closed_) return std::nullopt;
  return format_.answer == NextEditFormat::Answer::kSpan ? with_span() : whole_window();
}

std::optional<NextEditAnswer::Lines> NextEditAnswer::with_changes() const {
  Lines lines;
  auto next = prompt_.window.begin();
  for (const LineChange& change : changes_) {
    lines.insert(lines.end(), next, prompt_.window.begin() + change.old_begin);
    lines.insert(lines.end(), change.new_lines.begin(), change.new_lines.end());
    next = prompt_.window.begin() + change.old_end;
  }
  lines.insert(lines.end(), next, prompt_.window.end());
  return checked(std::move(lines));
}

std::optional<NextEditAnswer::Lines> NextEditAnswer::whole_window() const {
  std::string_view text = text_;
  const std::string_view opening = trimmed(format_.opening), closing = trimmed(format_.closing);
  if (const std::size_t at = opening.empty() ? std::string_view::npos : text.find(opening);
      at != std::string_view::npos) {
    text.remove_prefix(at + opening.size());
    if (text.starts_with('\r')) text.remove_prefix(1);
    if (text.starts_with('\n')) text.remove_prefix(1);
  }
  if (!closing.empty()) text = text.substr(0, text.find(closing));
  if (trimmed(text).empty() || means_nothing(text)) return std::nullopt;
  const std::string plain = without(std::string(without_last_end(text)), format_.cursor);
  Lines lines(prompt_.window.begin(), prompt_.window.begin() + prompt_.prefilled);
  std::ranges::move(lines_of(plain), std::back_inserter(lines));
  return checked(std::move(lines));
}

std::optional<NextEditAnswer::Lines> NextEditAnswer::with_span() const {
  if (means_nothing(text_)) return std::nullopt;
  const std::vector<Mark> marks = marks_in(text_);
  if (marks.size() < 2) return std::nullopt;
  const std::size_t first = marks.front().number, last = marks.back().number;
  if (first < 1 || first >= last || last > prompt_.marks.size()) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i + 1 < marks.size(); ++i)
    text += std::string_view(text_).substr(marks[i].end, marks[i + 1].begin - marks[i].end);
  text = without(std::move(text), format_.cursor);
  Lines lines(prompt_.window.begin(), prompt_.window.begin() + prompt_.marks[first - 1]);
  if (!text.empty()) std::ranges::move(lines_of(without_last_end(text)), std::back_inserter(lines));
  lines.insert(lines.end(), prompt_.window.begin() + prompt_.marks[last - 1], prompt_.window.end());
  return checked(std::move(lines));
}

std::optional<NextEditAnswer::Lines> NextEditAnswer::checked(Lines lines) const {
  if (lines == prompt_.window) return std::nullopt;
  for (const std::string& line : lines) {
    if (is_reserved(format_, line) || line.find('\0') != std::string::npos ||
        first_invalid_utf8(line))
      return std::nullopt;
  }
  if (format_.drops_insertions_above && only_adds_above(lines)) return std::nullopt;
  return lines;
}

bool NextEditAnswer::means_nothing(std::string_view text) const {
  return std::ranges::any_of(format_.nothing, [&](std::string_view word) {
    if (word.empty() || text.find(word) == std::string_view::npos) return false;
    return std::ranges::none_of(prompt_.window, [&](const std::string& line) {
      return line.find(word) != std::string::npos;
    });
  });
}

bool NextEditAnswer::only_adds_above(const Lines& lines) const {
  const std::vector<std::string_view> after(lines.begin(), lines.end());
  const std::vector<LineChange> changes = diff_lines(original_, after);
  return std::ranges::all_of(changes, [&](const LineChange& change) {
    return change.old_begin == change.old_end && change.old_begin <= prompt_.cursor_line;
  });
}

}  // namespace redraft
