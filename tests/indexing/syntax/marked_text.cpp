#include "tests/indexing/syntax/marked_text.h"

#include <stdexcept>

namespace redraft {
namespace {

const char* word(DefinitionKind kind) {
  switch (kind) {
    case DefinitionKind::kFunction:
      return "function";
    case DefinitionKind::kType:
      return "type";
    case DefinitionKind::kImplementation:
      return "implementation";
    case DefinitionKind::kModule:
      return "module";
    case DefinitionKind::kEntry:
      return "entry";
    case DefinitionKind::kSection:
      return "section";
  }
  return "?";
}

}  // namespace

MarkedText::MarkedText(std::string_view marked) {
  ByteRange expected;
  while (!marked.empty()) {
    if (marked.starts_with("¦")) {
      cursor = text.size();
    } else if (marked.starts_with("«")) {
      expected.begin = text.size();
    } else if (marked.starts_with("»")) {
      expected.end = text.size();
      range = expected;
    } else {
      text += marked.front();
      marked.remove_prefix(1);
      continue;
    }
    marked.remove_prefix(std::string_view("¦").size());
  }
}

std::optional<SyntaxTree> try_parse(const std::string& text, std::string_view language_id,
                                    const ParseLimits& limits) {
  return SyntaxTree::parse(std::make_shared<const std::string>(text), language_id, limits);
}

SyntaxTree parse(const std::string& text, std::string_view language_id) {
  std::optional<SyntaxTree> tree = try_parse(text, language_id);
  if (!tree) throw std::runtime_error("no tree for " + std::string(language_id));
  return std::move(*tree);
}

std::vector<std::string> names(const SyntaxTree& tree) {
  std::vector<std::string> found;
  for (const Definition& definition : tree.definitions()) {
    found.push_back(std::string(static_cast<std::size_t>(2 * definition.depth), ' ') +
                    word(definition.kind) + " " + at(tree, definition.name));
  }
  return found;
}

std::string at(const SyntaxTree& tree, const ByteRange& range) {
  return tree.text().substr(range.begin, range.size());
}

}  // namespace redraft
