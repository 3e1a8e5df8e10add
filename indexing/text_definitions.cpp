#include "indexing/text_definitions.h"

#include <memory>
#include <optional>

namespace redraft {

std::vector<StoredDefinition> stored_definitions(const SyntaxTree& tree) {
  const std::string_view text = tree.text();
  std::vector<StoredDefinition> stored;
  for (const Definition& definition : tree.definitions()) {
    const bool wanted =
        definition.kind == DefinitionKind::kFunction || definition.kind == DefinitionKind::kType;
    if (!wanted || definition.name.empty()) continue;
    stored.push_back(
        {.name = hash_of_name(text.substr(definition.name.begin, definition.name.size())),
         .begin = static_cast<std::uint32_t>(definition.range.begin),
         .end = static_cast<std::uint32_t>(definition.range.end)});
  }
  return stored;
}

std::vector<StoredDefinition> stored_definitions(const std::string& text,
                                                 std::string_view language_id,
                                                 const ParseLimits& limits) {
  if (!SyntaxTree::knows(language_id)) return {};
  // A view without ownership, because the tree does not outlive the text.
  const std::shared_ptr<const std::string> shared(std::shared_ptr<void>(), &text);
  const std::optional<SyntaxTree> tree = SyntaxTree::parse(shared, language_id, limits);
  return tree ? stored_definitions(*tree) : std::vector<StoredDefinition>();
}

}  // namespace redraft
