#include "workspace/edit/own_blanks.h"

#include <algorithm>
#include <utility>

#include "languages/language.h"
#include "languages/languages.h"
#include "text/strings/blank_text.h"
#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

constexpr int kUsualWidth = 4;
// Without evidence, an answer is taken for what it looks like after so many lines.
constexpr std::size_t kMaxHeldLines = 40;
// Columns that people take a tab for.
constexpr int kWidths[] = {4, 8, 2};

std::string_view without_trailing_blanks(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r\f");
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

// How much deeper one line is than another, or the other than it; empty: not at all, or the blanks
// differ otherwise.
std::string_view step_between(std::string_view first, std::string_view second) {
  std::string_view a = indentation_of(first), b = indentation_of(second);
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) ? b.substr(a.size()) : std::string_view();
}

// What stands between the blanks at both ends.
std::string_view text_of(std::string_view line) { return trimmed(line, " \t\r\f"); }

bool has_long_quote_odd(std::string_view line) {
  int n = 0;
  for (const std::string_view quote : {"\"\"\"", "'''", "`"}) {
    for (std::size_t at = line.find(quote); at != std::string_view::npos;
         at = line.find(quote, at + quote.size()))
      ++n;
  }
  return n % 2 != 0;
}

// How many columns a line is indented, if a tab is so many.
int columns(std::string_view indentation, int tab) {
  int n = 0;
  for (const char byte : indentation) n += byte == '\t' ? tab : 1;
  return n;
}

// "all: a.o b.o", but neither "a := b" nor a comment.
bool is_rule_head(std::string_view line) {
  if (line.empty() || is_blank(line.front()) || line.front() == '#') return false;
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && line.find('=') > colon &&
         line.substr(colon, 2) != ":=" && line.substr(colon, 3) != "::=";
}

}  // namespace

bool asks_for_blanks(std::string_view instruction) {
  constexpr std::string_view kAlways =
      "indent indents indented indentation reindent dedent unindent whitespace whitespaces blanks "
      "trailing reformat formatting prettier";
  constexpr std::string_view kWithFormat = "code file this it function class method properly";
  std::vector<std::string> words;
  std::string word;
  for (const char byte : std::string(instruction) + " ") {
    if (is_name_byte(byte)) {
      word += lower_case(byte);
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  const auto has = [&](std::string_view one) {
    return std::ranges::find(words, one) != words.end();
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (has_word(kAlways, words[i])) return true;
    const std::string_view next = i + 1 < words.size() ? std::string_view(words[i + 1]) : "";
    const bool after_the = next == "the" && i + 2 < words.size();
    if (words[i] == "format" && has_word(kWithFormat, after_the ? words[i + 2] : next)) return true;
  }
  // "Add two tabs to the window" is about something else.
  const bool speaks_of_both = (has("tabs") || has("tab")) && (has("spaces") || has("space"));
  const bool uses_tabs = has("tabs") && (has("use") || has("convert") || has("with"));
  const bool counts_spaces =
      has("spaces") && std::ranges::any_of(words, [](const std::string& one) {
        return has_word("2 3 4 8 two three four eight", one);
      });
  return speaks_of_both || uses_tabs || counts_spaces;
}

OwnBlanks::OwnBlanks(const EditRegion& region, std::string_view instruction)
    : region_(region), is_active_(!asks_for_blanks(instruction)) {
  const Document& document = region.document();
  const Language* const language = find_language(document.language());
  has_recipes_ = language != nullptr && language->has_tab_recipes;
  if (!is_active_) return;
  std::vector<std::string_view> all;
  const LineIndex& index = document.lines();
  for (int line = 0; line < index.line_count(); ++line) {
    const std::size_t begin = index.start(line);
    all.push_back(std::string_view(document.text()).substr(begin, index.content_end(line) - begin));
  }
  unit_ = indent_unit_of(region.lines());
  const IndentUnit of_file = indent_unit_of(all);
  if (unit_.is_unknown()) unit_ = of_file;
  if (unit_.only_spaces() && of_file.width > 0) unit_.width = of_file.width;
  for (int line = 0; line < static_cast<int>(region.lines().size()); ++line)
    lines_like_[text_of(region_line(line))].push_back(line);
  if (!has_recipes_) return;
  for (int line = index.line_of(region.range().begin); line-- > 0;) {
    const std::string_view above = all[static_cast<std::size_t>(line)];
    if (is_blank_text(above)) continue;
    is_in_recipe_ = above.starts_with('\t') || is_rule_head(above);
    break;
  }
}

std::vector<std::string> OwnBlanks::add(std::string line) {
  if (!is_active_) return {std::move(line)};
  if (answer_ == Answer::kUnknown) learn(line);
  held_.push_back(std::move(line));
  if (held_.size() > kMaxHeldLines) decide();
  const bool waits =
      answer_ == Answer::kUnknown &&
      !std::ranges::all_of(held_, [this](const std::string& held) { return is_certain(held); });
  if (waits) return {};
  std::vector<std::string> lines;
  for (const std::string& held : std::exchange(held_, {})) lines.push_back(with_own_blanks(held));
  return lines;
}

// By what the lines look like that were held back.
void OwnBlanks::decide() {
  if (answer_ != Answer::kUnknown) return;
  const bool other_kind =
      std::ranges::any_of(held_, [this](const std::string& line) { return is_foreign(line); });
  answer_ = other_kind ? Answer::kForeign : Answer::kOwn;
  const std::vector<std::string_view> views(held_.begin(), held_.end());
  const IndentUnit unit = indent_unit_of(views);
  answer_width_ = unit.n_spaces == 0 ? 0 : unit.width > 0 ? unit.width : kUsualWidth;
}

std::vector<std::string> OwnBlanks::end() {
  decide();
  std::vector<std::string> lines;
  for (const std::string& held : std::exchange(held_, {})) lines.push_back(with_own_blanks(held));
  return lines;
}

std::string_view OwnBlanks::region_line(int line) const {
  return region_.lines()[static_cast<std::size_t>(line)];
}

// The line of the region with the same text: the next one, else the first.
std::optional<int> OwnBlanks::line_like(std::string_view line) const {
  const auto found = lines_like_.find(text_of(line));
  if (found == lines_like_.end()) return std::nullopt;
  const std::vector<int>& lines = found->second;
  const auto next = std::ranges::lower_bound(lines, position_);
  return next == lines.end() ? lines.front() : *next;
}

int OwnBlanks::next_line_with_text(int from) const {
  const auto n_lines = static_cast<int>(region_.lines().size());
  while (from < n_lines && is_blank_text(region_line(from))) ++from;
  return from;
}

void OwnBlanks::learn(const std::string& line) {
  if (is_blank_text(line) || unit_.is_mixed()) return;
  const std::string before = std::exchange(last_line_, line);
  const auto found = lines_like_.find(text_of(line));
  if (found != lines_like_.end()) {
    const std::vector<int>& lines = found->second;
    const std::string_view own = indentation_of(line);
    const auto has_own = [&](int at) { return indentation_of(region_line(at)) == own; };
    // The same text may stand at several depths. A line without indentation says nothing.
    if (!own.empty() && std::ranges::all_of(lines, has_own)) answer_ = Answer::kOwn;
    const int expected = last_ ? next_line_with_text(last_->line + 1) : -1;
    const auto at = std::ranges::find(lines, expected);
    if (last_ && at != lines.end()) learn_from_step(*last_, *at, line);
    last_ = Pair{at != lines.end() ? *at : lines.front(), line};
  } else {
    last_.reset();
  }
  // One level deeper than the line above it, in the file's unit.
  const std::string_view deeper = indentation_of(before).size() < indentation_of(line).size()
                                      ? step_between(before, line)
                                      : std::string_view();
  const bool is_level =
      unit_.only_tabs()
          ? deeper == "\t"
          : unit_.width > 0 && deeper == std::string(static_cast<std::size_t>(unit_.width), ' ');
  if (answer_ == Answer::kUnknown && !before.empty() && is_level) answer_ = Answer::kOwn;
}

// Two lines that follow each other in the region and in the answer.
void OwnBlanks::learn_from_step(const Pair& before, int line, std::string_view answer) {
  const std::string_view own = step_between(region_line(before.line), region_line(line));
  const std::string_view there = step_between(before.answer, answer);
  if (own.empty() || there.empty()) return;
  if (own == there) {
    answer_ = Answer::kOwn;
    return;
  }
  const int level = unit_.only_spaces() ? std::max(unit_.width, 1) : 1;
  const auto size = static_cast<int>(own.size());
  if (size % level != 0) return;  // an alignment
  const bool in_tabs = there.find(' ') == std::string_view::npos;
  const auto width = static_cast<int>(there.size());
  if (width % (size / level) != 0) return;
  answer_ = Answer::kForeign;
  answer_width_ = in_tabs ? 0 : width / (size / level);
}

// Whether the line is the same in whatever unit the answer is indented.
bool OwnBlanks::is_certain(std::string_view line) const {
  if (unit_.is_mixed()) return true;
  return indentation_of(line).empty() || is_blank_text(line);
}

// Whether a line is indented with what the file is not indented with.
bool OwnBlanks::is_foreign(std::string_view line) const {
  return (unit_.only_tabs() && begins_with_spaces(line)) ||
         (unit_.only_spaces() && line.starts_with('\t'));
}

std::string OwnBlanks::with_own_blanks(const std::string& line) {
  std::string result = line;
  if (is_blank_text(line)) {
    // The next blank line, past the lines that others took the place of.
    const int end = std::min(position_ + n_new_ + 1, static_cast<int>(region_.lines().size()));
    for (int at = position_; at < end; ++at) {
      if (!is_blank_text(region_line(at))) continue;
      position_ = at + 1;
      n_new_ = 0;
      return std::string(region_line(at));
    }
    return result;
  }
  const std::optional<int> like = line_like(line);
  result = with_own_indentation(line, like);
  if (like) {
    // Nothing but the blanks at its end differs, here or where the text stands again.
    for (const int at : lines_like_.at(text_of(line))) {
      const std::string_view there = region_line(at);
      if (without_trailing_blanks(there) != without_trailing_blanks(result)) continue;
      if (at == *like || region_line(*like) != result) result = there;
      if (at >= *like) break;
    }
    if (*like >= position_) position_ = *like + 1;
    n_new_ = 0;
  } else {
    ++n_new_;
  }
  result = with_tab_of_recipe(std::move(result));
  pass(result);
  return result;
}

// Whether a line of the region is as deep as one of the answer: in levels, or in columns where it
// is aligned.
bool OwnBlanks::is_as_deep(std::string_view own, std::string_view there) const {
  const bool has_tabs = own.find('\t') != std::string_view::npos;
  const int level = std::max(unit_.width, 1);
  if (has_tabs == (there.find('\t') != std::string_view::npos)) {
    if (answer_ != Answer::kForeign || answer_width_ == 0 || !unit_.only_spaces()) return false;
    const bool is_aligned = own == there && columns(there, 1) % level != 0;
    return is_aligned || columns(own, 1) * level == columns(there, 1) * answer_width_;
  }
  if (own.empty() || there.empty()) return false;
  if (answer_ == Answer::kForeign && answer_width_ > 0)
    return columns(own, answer_width_) == columns(there, answer_width_);
  if (unit_.only_spaces() && unit_.width > 0)
    return columns(own, unit_.width) == columns(there, unit_.width);
  return std::ranges::any_of(
      kWidths, [&](int width) { return columns(own, width) == columns(there, width); });
}

std::string OwnBlanks::with_own_indentation(const std::string& line,
                                            const std::optional<int>& like) const {
  const std::string_view own = indentation_of(line);
  if (like) {
    const std::vector<int>& lines = lines_like_.at(text_of(line));
    const bool other_width = answer_ == Answer::kForeign && unit_.only_spaces();
    const auto is_same = [&](int at) { return indentation_of(region_line(at)) == own; };
    if (!other_width && std::ranges::any_of(lines, is_same)) return line;
    const auto is_deep = [&](int at) { return is_as_deep(own, indentation_of(region_line(at))); };
    const auto next = std::ranges::find_if(std::ranges::find(lines, *like), lines.end(), is_deep);
    const auto found = next != lines.end() ? next : std::ranges::find_if(lines, is_deep);
    if (found != lines.end())
      return std::string(indentation_of(region_line(*found))) + line.substr(own.size());
  }
  if (answer_ == Answer::kForeign) return converted(line);
  // An answer in the file's unit may have a line that is not, unless it is text of a string.
  return is_foreign(line) && !is_in_long_string() ? converted(line) : line;
}

// As deep in the file's unit as it is in the answer's; what is left of its blanks aligns it.
std::string OwnBlanks::converted(std::string_view line) const {
  const std::string_view own = indentation_of(line);
  const bool to_tabs = unit_.only_tabs();
  if (to_tabs && own.starts_with('\t')) return std::string(line);
  int width = answer_ == Answer::kForeign ? answer_width_ : 0;
  if (width == 0 && !own.starts_with('\t')) {
    if (!to_tabs) return std::string(line);
    width = kUsualWidth;
  }
  int n_levels = 0;
  std::size_t at = 0;
  while (at < own.size()) {
    const bool is_tab = own[at] == '\t';
    const std::size_t size = is_tab ? 1 : static_cast<std::size_t>(width);
    const std::string_view level = own.substr(at, size);
    if (!is_tab &&
        (width == 0 || level.size() < size || level.find('\t') != std::string_view::npos))
      break;
    ++n_levels;
    at += size;
  }
  const int n_spaces = unit_.width > 0 ? unit_.width : kUsualWidth;
  std::string result = to_tabs ? std::string(static_cast<std::size_t>(n_levels), '\t')
                               : std::string(static_cast<std::size_t>(n_levels * n_spaces), ' ');
  return result.append(own.substr(at)).append(line.substr(own.size()));
}

// A line below the head of a rule of a Makefile begins with a tab.
std::string OwnBlanks::with_tab_of_recipe(std::string line) {
  if (!has_recipes_) return line;
  const bool is_indented = is_blank(line.front());
  if (is_indented && is_in_recipe_ && line.front() == ' ') {
    const auto same = lines_like_.find(text_of(line));
    const bool is_old = same != lines_like_.end() && std::ranges::any_of(same->second, [&](int at) {
                          return region_line(at) == std::string_view(line);
                        });
    if (!is_old) line = "\t" + line.substr(indentation_of(line).size());
  }
  if (!is_indented && line.front() != '#') is_in_recipe_ = is_rule_head(line);
  return line;
}

void OwnBlanks::pass(const std::string& line) {
  n_long_quotes_ += has_long_quote_odd(line) ? 1 : 0;
}

}  // namespace redraft
