#include "workspace/edit/missing_imports.h"

#include <algorithm>
#include <set>
#include <span>

#include "languages/language.h"

namespace redraft {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view module_of(std::span<const std::string_view> modules, std::string_view name) {
  const auto found =
      std::ranges::find_if(modules, [&](std::string_view path) { return last_part(path) == name; });
  return found == modules.end() ? std::string_view() : *found;
}

std::string_view text_of(const SyntaxTree& tree, const ByteRange& place) {
  return std::string_view(tree.text()).substr(place.begin, place.size());
}

bool is_member_access(std::string_view text, const ByteRange& name) {
  const bool is_member = name.begin > 0 && text[name.begin - 1] == '.';
  return !is_member && name.end < text.size() && text[name.end] == '.';
}

}  // namespace

std::vector<std::string> missing_imports(const SyntaxTree& before, const SyntaxTree& after) {
  const StandardModules* const standard = after.language().standard_modules;
  if (standard == nullptr) return {};
  const std::span<const std::string_view> modules = standard->paths;
  std::set<std::string_view> known;
  for (const ByteRange& place : before.identifiers({0, before.text().size()}))
    known.insert(text_of(before, place));
  std::vector<std::string_view> wanted;
  for (const ByteRange& place : after.identifiers({0, after.text().size()})) {
    const std::string_view name = text_of(after, place);
    if (known.contains(name) || module_of(modules, name).empty()) continue;
    const bool is_member = place.begin > 0 && after.text()[place.begin - 1] == '.';
    if (is_member) continue;
    // An import of it, a variable, a parameter.
    if (!is_member_access(after.text(), place)) {
      known.insert(name);
      std::erase(wanted, name);
    } else if (std::ranges::find(wanted, name) == wanted.end()) {
      wanted.push_back(name);
    }
  }
  std::vector<std::string> lines;
  for (const std::string_view name : wanted) {
    const std::string path(module_of(modules, name));
    lines.push_back(std::string(standard->before).append(path).append(standard->after));
  }
  return lines;
}

}  // namespace redraft
