#include "indexing/files/git_config.h"

#include <algorithm>
#include <cctype>

#include "text/strings/lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}
// Removes the next line, joined with continuation lines (after a backslash at its end).
std::string take_joined_line(std::string_view& rest) {
  std::string line;
  for (bool goes_on = true; goes_on && !rest.empty();) {
    std::string_view part = take_line(rest);
    if (part.ends_with('\r')) part.remove_suffix(1);
    goes_on = part.ends_with('\\') && !part.ends_with("\\\\");
    if (goes_on) part.remove_suffix(1);
    line += part;
  }
  return line;
}

// The meaning of a value: quotes and escapes resolved, a trailing comment removed.
std::string plain_value(std::string_view written) {
  std::string value;
  std::size_t kept = 0;  // without trailing blanks
  bool quoted = false;
  for (std::size_t i = 0; i < written.size(); ++i) {
    char c = written[i];
    if (!quoted && (c == '#' || c == ';')) break;
    if (c == '"') {
      quoted = !quoted;
      kept = value.size();
      continue;
    }
    if (c == '\\' && i + 1 < written.size()) {
      c = written[++i];
      if (c == 'n') c = '\n';
      if (c == 't') c = '\t';
    }
    value += c;
    if (quoted || (c != ' ' && c != '\t')) kept = value.size();
  }
  value.resize(kept);
  return value;
}

}  // namespace

std::optional<std::string> git_config_value(std::string_view text, std::string_view section,
                                            std::string_view key) {
  std::optional<std::string> value;
  bool inside = false;
  while (!text.empty()) {
    const std::string whole = take_joined_line(text);
    std::string_view line = trimmed(whole, kBlanks);
    if (line.starts_with('[')) {
      const std::size_t end = line.find(']');
      if (end == std::string_view::npos) continue;
      inside = same_word(trimmed(line.substr(1, end - 1), kBlanks), section);
      line = trimmed(line.substr(end + 1), kBlanks);  // a value may follow it
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos) continue;
    if (same_word(trimmed(line.substr(0, equals), kBlanks), key))
      value = plain_value(trimmed(line.substr(equals + 1), kBlanks));
  }
  return value;
}

}  // namespace redraft
