#include "workspace/edit/macro_errors.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// Few macros are new in one change.
constexpr std::size_t kMaxMacros = 12;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "LOCKABLE", "FMT_TRY", and <inttypes.h>'s "PRIu64".
bool is_macro_name(std::string_view name) {
  if (name.starts_with("PRI") || name.starts_with("SCN")) return true;
  return name.size() > 2 && is_upper(name.front()) && std::ranges::none_of(name, is_lower);
}

// Those on lines with new text.
std::set<std::string_view> new_macros(std::string_view text,
                                      const std::vector<ByteRange>& new_places) {
  std::set<std::string_view> macros;
  for (const ByteRange& place : new_places) {
    const std::size_t begin = line_start(text, place.begin);
    const std::size_t end = line_end(text, std::max(place.begin, place.end));
    for_each_name(text.substr(begin, end - begin), [&](std::string_view name) {
      if (is_macro_name(name)) macros.insert(name);
    });
  }
  return macros;
}

// The end of the arguments behind a macro's name; without any, `at`.
std::size_t end_of_arguments(std::string_view text, std::size_t at) {
  std::size_t end = skip_blanks(text, at);
  if (end >= text.size() || text[end] != '(') return at;
  for (int depth = 0; end < text.size(); ++end) {
    if (std::string_view(";{}").find(text[end]) != std::string_view::npos) return at;
    if (text[end] == '(') ++depth;
    if (text[end] == ')' && --depth == 0) return end + 1;
  }
  return at;
}

// The text with a macro and its arguments replaced by blanks, wherever a directive does not define
// it.
std::string without_macro(std::string text, std::string_view macro) {
  for (std::size_t at = find_name(text, macro); at != std::string::npos;
       at = find_name(text, macro, at + 1)) {
    const std::size_t line = skip_blanks(text, line_start(text, at));
    if (text[line] == '#') continue;
    const std::size_t end = end_of_arguments(text, at + macro.size());
    for (std::size_t i = at; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
  }
  return text;
}

// No macro makes up for a bracket that is not closed.
bool has_same_brackets(std::string_view before, std::string_view after) {
  constexpr std::string_view kBrackets = "{}()[]";
  for (std::size_t i = 0; i < kBrackets.size(); i += 2) {
    const auto open_in = [&](std::string_view text) {
      return std::ranges::count(text, kBrackets[i]) - std::ranges::count(text, kBrackets[i + 1]);
    };
    if (open_in(before) != open_in(after)) return false;
  }
  return true;
}

}  // namespace

bool are_errors_of_macros(const SyntaxTree& before, const SyntaxTree& after,
                          const std::vector<ByteRange>& new_places) {
  if (after.language().modules != ModuleSystem::kInclude ||
      !has_same_brackets(before.text(), after.text()))
    return false;
  const std::set<std::string_view> macros = new_macros(after.text(), new_places);
  if (macros.empty() || macros.size() > kMaxMacros) return false;
  // A macro that stands for a value is needed: "a < MAX". So each goes only if that helps.
  std::string text = after.text();
  std::size_t n_errors = after.errors().size();
  for (const std::string_view macro : macros) {
    std::string shorter = without_macro(text, macro);
    const auto tree = after.edited(std::make_shared<const std::string>(shorter));
    if (!tree || tree->errors().size() >= n_errors) continue;
    n_errors = tree->errors().size();
    text = std::move(shorter);
    if (n_errors <= before.errors().size()) return true;
  }
  return false;
}

std::optional<SyntaxTree> without_new_macros(const SyntaxTree& after,
                                             const std::vector<ByteRange>& new_places) {
  if (after.language().modules != ModuleSystem::kInclude) return std::nullopt;
  const std::set<std::string_view> macros = new_macros(after.text(), new_places);
  if (macros.empty() || macros.size() > kMaxMacros) return std::nullopt;
  std::string text = after.text();
  for (const std::string_view macro : macros) text = without_macro(std::move(text), macro);
  return after.edited(std::make_shared<const std::string>(std::move(text)));
}

}  // namespace redraft
