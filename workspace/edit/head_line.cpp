#include "workspace/edit/head_line.h"

#include <algorithm>
#include <optional>

#include "text/strings/blank_text.h"
#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

constexpr int kTabColumns = 4;
constexpr std::size_t kMaxLine = 500;  // bytes; a longer one is data
// More words before the word that declares are a sentence.
constexpr int kMaxModifiers = 6;

// Words of many languages, in lower case, that stand before the name of what they declare.
constexpr std::string_view kTypeWords =
    "class struct enum interface protocol extension trait impl object record union "
    "module mixin actor contract library message service defmodule typealias typedef newtype "
    "table view trigger schema type";
constexpr std::string_view kFunctionWords =
    "func fun fn def defp defmacro function sub proc procedure method macro rpc operator";
// Words that may follow the name at once, and those that never are one.
constexpr std::string_view kAfterName =
    "extends implements where do is as begin with for returns throws of on inherits if permits";
constexpr std::string_view kNoName =
    "if else is a an the of in to for and or not that which with this it does has as be from";
// Words before a bracket that call or control something: nothing is declared.
constexpr std::string_view kControl =
    "if for while switch catch return with when else do using lock guard foreach unless until "
    "match synchronized try elif elsif elseif case fixed repeat select loop super this await yield "
    "throw new typeof sizeof assert in and or not print echo delete defer go";

// A line as words, quoted texts and single marks.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(trimmed(line)) {}

  struct Word {
    std::string_view text;
    bool is_name = false;
    bool is_quoted = false;
  };

  std::optional<Word> take() {
    rest_ = trimmed(rest_);
    if (rest_.empty()) return std::nullopt;
    const char first = rest_.front();
    if (first == '"' || first == '\'') {
      const std::size_t end = rest_.find(first, 1);
      if (end == std::string_view::npos) return taken(rest_.size(), false, false);
      const std::string_view text = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
      return Word{text, false, true};
    }
    std::size_t size = 0;
    while (size < rest_.size() && is_name_byte(rest_[size])) ++size;
    return size > 0 ? taken(size, true, false) : taken(1, false, false);
  }
  std::string_view rest() const { return rest_; }
  void skip_brackets(char open, char close) {
    int depth = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      depth += rest_[i] == open ? 1 : rest_[i] == close ? -1 : 0;
      if (depth > 0) continue;
      rest_.remove_prefix(i + 1);
      return;
    }
  }

 private:
  std::optional<Word> taken(std::size_t size, bool is_name, bool is_quoted) {
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return Word{text, is_name, is_quoted};
  }

  std::string_view rest_;
};

bool begins_comment(std::string_view line) {
  constexpr std::string_view kMarks[] = {"//", "/*", "*",    "#",      "--",
                                         ";",  "%",  "<!--", "\"\"\"", "'''"};
  return std::ranges::any_of(kMarks, [&](auto mark) { return line.starts_with(mark); });
}

// Whether the text after a name lets it be one that is declared.
bool ends_name(std::string_view rest) {
  rest = trimmed(rest);
  if (rest.empty()) return true;
  if (std::string_view("({:<[=,;").find(rest.front()) != std::string_view::npos) return true;
  if (rest.starts_with("->")) return true;
  std::size_t size = 0;
  while (size < rest.size() && is_name_byte(rest[size])) ++size;
  return size > 0 && has_word(kAfterName, lower_case(rest.substr(0, size)));
}

// The name behind a word that declares: "Foo", "String.half", "<T> swap", "IF NOT EXISTS users".
std::string name_behind(Words words) {
  if (trimmed(words.rest()).starts_with('<')) words.skip_brackets('<', '>');
  if (trimmed(words.rest()).starts_with('(')) words.skip_brackets('(', ')');  // Go's receiver
  std::string name;
  while (const auto word = words.take()) {
    const std::string lower = lower_case(word->text);
    if (name.empty() && (lower == "not" || lower == "exists" || lower == "if")) continue;
    if (word->is_quoted && name.empty()) return std::string(word->text);
    if (!word->is_name || has_word(kNoName, lower)) return {};
    name += word->text;
    if (!words.rest().starts_with('.') && !words.rest().starts_with("::")) break;
    while (words.rest().starts_with('.') || words.rest().starts_with(':')) words.take();
    name += '.';
  }
  return ends_name(words.rest()) ? name : std::string();
}

// "resource "aws_instance" "web" {"
std::string quoted_name(std::string_view line) {
  if (!line.ends_with('{')) return {};
  Words words(line);
  const auto first = words.take();
  if (!first->is_name) return {};
  std::string name;
  while (const auto word = words.take()) {
    if (word->text == "{") return words.rest().empty() ? name : std::string();
    if (!word->is_quoted) return {};
    if (!name.empty()) name += '.';
    name += word->text;
  }
  return {};
}

// "Future<void> load() async {": at least one word before the name, and a body.
std::string method_name(std::string_view line) {
  if (!line.ends_with('{')) return {};
  const std::size_t bracket = line.find('(');
  if (bracket == std::string_view::npos || bracket == 0) return {};
  const std::string_view before = trimmed(line.substr(0, bracket));
  std::size_t begin = before.size();
  while (begin > 0 && is_name_byte(before[begin - 1])) --begin;
  const std::string_view name = before.substr(begin);
  const std::string_view type = trimmed(before.substr(0, begin));
  if (name.empty() || type.empty() || before.substr(0, begin).back() == '.') return {};
  if (type.find_first_of("=.({\"'!&|+") != std::string_view::npos) return {};
  const std::string_view first = type.substr(0, type.find_first_of(" \t<"));
  if (has_word(kControl, lower_case(name)) || has_word(kControl, lower_case(first))) return {};
  const std::string_view arguments = line.substr(bracket + 1);
  if (arguments.find("=>") != std::string_view::npos) return {};
  return std::string(name);
}

}  // namespace

std::string declared_name(std::string_view line) {
  line = trimmed(line);
  if (line.empty() || line.size() > kMaxLine || begins_comment(line)) return {};
  Words words(line);
  for (int i = 0; i <= kMaxModifiers; ++i) {
    const auto word = words.take();
    if (!word || word->is_quoted) break;
    if (word->text == ")") continue;
    if (word->text == "@" || word->text == "(") {  // "@MainActor func", "pub(crate) fn"
      words.take();
      continue;
    }
    if (!word->is_name) break;
    const std::string lower = lower_case(word->text);
    if (!has_word(kTypeWords, lower) && !has_word(kFunctionWords, lower)) continue;
    Words next = words;
    const auto behind = next.take();
    const std::string after = behind ? lower_case(behind->text) : std::string();
    if (has_word(kTypeWords, after) || has_word(kFunctionWords, after))
      continue;  // "enum class Color", "fun interface Sink"
    std::string name = name_behind(words);
    if (!name.empty()) return name;
    break;
  }
  std::string name = quoted_name(line);
  return name.empty() ? method_name(line) : name;
}

int columns_of(std::string_view line) {
  int columns = 0;
  for (const char byte : indentation_of(line)) columns += byte == '\t' ? kTabColumns : 1;
  return columns;
}

std::vector<HeadLine> head_lines(std::span<const std::string_view> lines) {
  struct Around {
    int columns;
    std::string path;
    bool is_function;
  };
  std::vector<Around> around;
  std::vector<HeadLine> heads;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_blank_text(lines[i])) continue;
    const int columns = columns_of(lines[i]);
    while (!around.empty() && around.back().columns >= columns) around.pop_back();
    const std::string name = declared_name(lines[i]);
    if (name.empty()) continue;
    const std::string path = around.empty() ? name : around.back().path + "." + name;
    const bool is_inner = !around.empty() && around.back().is_function;
    const std::string text(trimmed(lines[i]));
    bool is_type = false;
    for (const std::string_view word : split_words(kTypeWords))
      is_type = is_type || has_name(lower_case(text.substr(0, text.find(name))), word);
    around.push_back({columns, path, is_inner || !is_type});
    if (!is_inner)
      heads.push_back({static_cast<int>(i), name.substr(name.rfind('.') + 1), path, text});
  }
  return heads;
}

}  // namespace redraft
