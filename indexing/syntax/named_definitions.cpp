#include "indexing/syntax/named_definitions.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"

namespace redraft {
namespace {

// A comment above a definition. An attribute of Rust is none.
bool is_comment_line(std::string_view line) {
  return line.starts_with("//") || line.starts_with("/*") || line.starts_with("*") ||
         (line.starts_with("#") && !line.starts_with("#[")) || line.starts_with("--");
}

bool is_code(DefinitionKind kind) {
  return kind != DefinitionKind::kEntry && kind != DefinitionKind::kSection;
}

}  // namespace

std::vector<NamedDefinition> named_definitions(const SyntaxTree& tree) {
  struct Open {
    std::size_t end;
    std::string path;
    bool function;
  };
  std::vector<NamedDefinition> found;
  std::vector<Open> open;
  for (const Definition& definition : tree.definitions()) {
    while (!open.empty() && open.back().end <= definition.range.begin) open.pop_back();
    if (!open.empty() && open.back().function) continue;
    const std::string around = open.empty() ? std::string() : open.back().path;
    std::string name = tree.text().substr(definition.name.begin, definition.name.size());
    if (is_code(definition.kind) && !name.empty() && !definition.is_value)
      found.push_back({definition.kind, around, name, definition.name, definition.range});
    open.push_back({definition.range.end, name.empty() ? around : around + name + ".",
                    definition.kind == DefinitionKind::kFunction});
  }
  return found;
}

std::string signature_of(std::string_view text, const NamedDefinition& definition) {
  std::string signature;
  const auto add = [&](std::string_view part) {
    std::ranges::copy_if(part, std::back_inserter(signature), [](char c) { return !is_space(c); });
  };
  std::size_t at = definition.range.begin;
  while (at < definition.name_range.begin) {
    const std::size_t end = std::min(line_end(text, at), definition.name_range.begin);
    const std::string_view line = trimmed(text.substr(at, end - at));
    if (!is_comment_line(line)) add(line);
    at = end + 1;
  }
  const std::size_t end = definition.name_range.end;
  std::size_t close = skip_blanks(text, end);
  if (close < definition.range.end && (text[close] == '(' || text[close] == '<')) {
    for (int depth = 0; close < definition.range.end; ++close) {
      if (text[close] == '(') ++depth;
      if (text[close] == ')' && --depth == 0) break;
    }
    add(text.substr(end, close - end));
  }
  return signature + "|" + definition.path();
}

}  // namespace redraft
