#include "workspace/apply/hunk_ways.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string_view>
#include <utility>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

using Strings = std::vector<std::string>;

// A line with a number before it: "12 | text", "  12\ttext", "12: text", "L12: text", "12→text".
struct Numbered {
  int number = 0;
  std::string_view mark;  // between the number and the text
  std::string_view text;
};

std::optional<Numbered> numbered(std::string_view line) {
  std::string_view rest = line.substr(skip_blanks(line, 0));
  if (rest.starts_with('L')) rest.remove_prefix(1);
  Numbered result;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), result.number);
  if (error != std::errc() || rest.starts_with('-')) return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  // A bar may have blanks before it. The other marks follow the number.
  const std::string_view behind = rest.substr(skip_blanks(rest, 0));
  if (behind.starts_with('|')) {
    result.mark = "|";
    result.text = behind.substr(1);
  } else {
    for (const std::string_view mark : {"\t", "\u2192", ":"}) {
      if (!rest.starts_with(mark)) continue;
      result.mark = mark;
      result.text = rest.substr(mark.size());
      break;
    }
  }
  if (result.mark.empty()) return std::nullopt;
  if ((result.mark == "|" || result.mark == ":") && result.text.starts_with(' '))
    result.text.remove_prefix(1);
  return result;
}

struct WithoutNumbers {
  Strings lines;
  std::string_view mark;
  std::optional<int> first;  // the first line's number
  bool is_counted = true;    // each line's number follows the one before it
};

// Nothing: not all lines have a number and the same mark, or all are blank.
std::optional<WithoutNumbers> without_numbers(const Strings& lines) {
  WithoutNumbers result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::optional<Numbered> one = numbered(lines[i]);
    const bool is_blank_line = trimmed(lines[i]).empty();
    if (!one && !is_blank_line) return std::nullopt;
    if (!one) {
      result.lines.emplace_back();
      continue;
    }
    const int first = one->number - static_cast<int>(i);
    if (!result.first) {
      result.first = first;
      result.mark = one->mark;
    }
    if (one->mark != result.mark) return std::nullopt;
    result.is_counted &= first == *result.first;
    result.lines.emplace_back(one->text);
  }
  return result.first ? std::optional(std::move(result)) : std::nullopt;
}

// The new lines may lack the numbers.
std::optional<HunkSides> without_numbers(const HunkSides& sides) {
  std::optional<WithoutNumbers> old_side = without_numbers(sides.old_lines);
  // Code may begin with a number and a colon; then the numbers do not count.
  if (!old_side || (old_side->mark != "|" && !old_side->is_counted)) return std::nullopt;
  std::optional<WithoutNumbers> new_side = without_numbers(sides.new_lines);
  const bool are_both = new_side && new_side->mark == old_side->mark;
  HunkSides result{std::move(old_side->lines), sides.new_lines};
  if (are_both) result.new_lines = std::move(new_side->lines);
  if (old_side->is_counted && *old_side->first > 0) result.line = *old_side->first - 1;
  return result;
}

std::string replaced_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string without_entities(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kEntities[] = {
      {"&lt;", "<"},  {"&gt;", ">"},   {"&quot;", "\""},
      {"&#39;", "'"}, {"&apos;", "'"}, {"&amp;", "&"}};
  std::string result(line);
  for (const auto& [entity, character] : kEntities)
    result = replaced_all(std::move(result), entity, character);
  return result;
}

std::string without_escapes(std::string_view line) {
  return replaced_all(replaced_all(std::string(line), "\\\"", "\""), "\\'", "'");
}

// Strings between quotes of one kind, between those of the other. Those with a quote or a backslash
// within them stay, and what is within other strings.
std::string with_other_quotes(std::string_view line, char from, char to) {
  std::string result(line);
  for (std::size_t at = 0; (at = result.find_first_of("\"'`", at)) != std::string::npos;) {
    const char quote = result[at];
    std::size_t end = at + 1;
    while (end < result.size() && result[end] != quote) end += result[end] == '\\' ? 2 : 1;
    if (end >= result.size()) {  // an apostrophe
      ++at;
      continue;
    }
    const std::string_view inside = std::string_view(result).substr(at + 1, end - at - 1);
    const bool is_plain = inside.find_first_of("\"'\\") == std::string_view::npos;
    if (quote == from && is_plain) result[at] = result[end] = to;
    at = end + 1;
  }
  return result;
}

HunkSides converted(const HunkSides& sides,
                    const std::function<std::string(std::string_view)>& convert) {
  HunkSides result = sides;
  for (std::string& line : result.old_lines) line = convert(line);
  for (std::string& line : result.new_lines) line = convert(line);
  return result;
}

}  // namespace

std::vector<HunkSides> ways_of(const HunkSides& sides) {
  std::vector<HunkSides> ways{sides};
  const auto add = [&](HunkSides way) {
    if (way.old_lines != sides.old_lines) ways.push_back(std::move(way));
  };
  if (std::optional<HunkSides> plain = without_numbers(sides)) add(std::move(*plain));
  add(converted(sides, without_entities));
  add(converted(sides, without_escapes));
  add(converted(sides, [](std::string_view line) { return with_other_quotes(line, '"', '\''); }));
  add(converted(sides, [](std::string_view line) { return with_other_quotes(line, '\'', '"'); }));
  return ways;
}

std::string with_plain_quotes(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kQuotes[] = {
      {"\u2018", "'"},  {"\u2019", "'"},  {"\u201A", "'"},  {"\u201B", "'"},
      {"\u201C", "\""}, {"\u201D", "\""}, {"\u201E", "\""}, {"\u201F", "\""}};
  std::string result(text);
  for (const auto& [typographic, plain] : kQuotes)
    result = replaced_all(std::move(result), typographic, plain);
  return result;
}

}  // namespace redraft
