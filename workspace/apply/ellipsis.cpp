#include "workspace/apply/ellipsis.h"

#include <algorithm>
#include <string>
#include <utility>

#include "languages/languages.h"
#include "text/strings/lower_case.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

bool begins_with_dots(std::string_view text) {
  return text.starts_with("...") || text.starts_with("\u2026") || text.starts_with("[...");
}
bool ends_with_dots(std::string_view text) {
  return text.ends_with("...") || text.ends_with("\u2026") || text.ends_with("...]");
}

bool speaks_of_the_rest(std::string_view text) {
  constexpr std::string_view kWords[] = {
      "existing code",   "rest of",         "remaining code", "unchanged",    "remains the same",
      "remain the same", "same as before",  "stays the same", "code here",    "omitted",
      "other methods",   "other functions", "no changes",     "previous code"};
  const std::string small = lower_case(text);
  return std::ranges::any_of(
      kWords, [&](std::string_view words) { return small.find(words) != std::string::npos; });
}

}  // namespace

std::optional<std::string_view> comment_text(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kMarks[] = {
      {"{/*", "*/}"}, {"/*", "*/"}, {"<!--", "-->"}, {"{-", "-}"}, {"//", ""},
      {"#", ""},      {"--", ""},   {";", ""},       {"%", ""},    {"(*", "*)"}};
  for (const auto& [open, close] : kMarks) {
    if (!line.starts_with(open)) continue;
    line.remove_prefix(open.size());
    if (line.ends_with(close)) line.remove_suffix(close.size());
    return trimmed(line, " \t/#-;%*");
  }
  return std::nullopt;
}

bool is_ellipsis(std::string_view line, std::string_view language_id) {
  line = trimmed(line);
  const std::optional<std::string_view> comment = comment_text(line);
  if (!comment) {
    const bool is_dots = line == "..." || line == "\u2026";
    const bool is_framed = begins_with_dots(line) && ends_with_dots(line);
    const Language* const language = find_language(language_id);
    const bool is_code = language != nullptr && language->has_ellipsis_statement;
    return (is_dots && !is_code) || (is_framed && !is_dots && speaks_of_the_rest(line));
  }
  if (begins_with_dots(*comment)) {
    constexpr std::size_t kLongest = 100;  // longer comments are explanations
    return comment->size() <= kLongest;
  }
  constexpr std::size_t kLongest = 60;
  return comment->size() <= kLongest && speaks_of_the_rest(*comment);
}

bool is_ellipsis_between(std::string_view above, std::string_view line, std::string_view below,
                         std::string_view language_id) {
  if (!is_ellipsis(line, language_id)) return false;
  const auto is_same_comment = [&](std::string_view other) {
    return comment_text(trimmed(other)) && !is_ellipsis(other, language_id) &&
           indentation_of(other) == indentation_of(line);
  };
  return stands_for_code(line) || !is_same_comment(above) || !is_same_comment(below);
}

bool stands_for_code(std::string_view line) {
  const std::optional<std::string_view> comment = comment_text(trimmed(line));
  if (!comment || !begins_with_dots(*comment)) return false;
  return trimmed(*comment, ".\u2026[] ").empty() || speaks_of_the_rest(*comment);
}

}  // namespace redraft
