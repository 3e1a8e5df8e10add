#include "indexing/syntax/region_names.h"

#include <array>
#include <cstddef>

#include "support/utf8/utf8.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxNameBytes = 60;

// Words that the nodes of types have in their names.
constexpr std::array<std::string_view, 9> kTypeWords = {
    "class", "struct", "union", "enum", "interface", "trait", "record", "concept", "delegate"};

std::string_view word_for_type(std::string_view node) {
  for (const std::string_view word : kTypeWords) {
    if (node.find(word) != std::string_view::npos) return word;
  }
  return "type";
}

std::string_view word_for_entry(std::string_view node) {
  if (node == "rule_set" || node == "at_rule" || node.ends_with("_statement")) return "rule";
  if (node.find("element") != std::string_view::npos && node.find("table") == node.npos)
    return "element";
  return node.find("table") != std::string_view::npos ? "table" : "entry";
}

std::string_view word_for(const DefinitionType& type, bool is_member) {
  if (!type.word.empty()) return type.word;
  switch (type.kind) {
    case DefinitionKind::kFunction:
      return is_member ? "method" : "function";
    case DefinitionKind::kType:
      return word_for_type(type.node);
    case DefinitionKind::kImplementation:
      return "impl";
    case DefinitionKind::kModule:
      return type.node.find("namespace") != std::string_view::npos ? "namespace" : "module";
    case DefinitionKind::kEntry:
      return word_for_entry(type.node);
    case DefinitionKind::kSection:
      return "section";
  }
  return "definition";
}

}  // namespace

std::string title_of(const DefinitionType& type, std::string_view name, bool is_member) {
  const std::string word(word_for(type, is_member));
  return name.empty()
             ? word
             : word + " " + shortened(name.substr(0, name.find_first_of("\r\n")), kMaxNameBytes);
}

std::string name_of_region(RegionKind kind, std::string_view around, bool several, bool of_code) {
  const std::string of = around.empty() ? "" : " of " + std::string(around);
  switch (kind) {
    case RegionKind::kInsertion:
      return around.empty() ? "insertion point" : "insertion point in " + std::string(around);
    case RegionKind::kComment:
      return "comment";
    case RegionKind::kImports:
      return several ? "imports" : "import";
    case RegionKind::kDocstring:
      return "docstring" + of;
    case RegionKind::kMembers:
      return (several ? "members" : "member") + of;
    default:
      break;
  }
  if (!around.empty()) return "part" + of;
  return of_code ? (several ? "statements" : "statement") : "block";
}

}  // namespace redraft
