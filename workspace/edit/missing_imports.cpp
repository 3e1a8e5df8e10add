#include "workspace/edit/missing_imports.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string filled_in(std::string_view form, std::string_view module, std::string_view name) {
  std::string statement(form);
  const auto fill = [&](std::string_view mark, std::string_view with) {
    if (const std::size_t at = statement.find(mark); at != statement.npos)
      statement.replace(at, mark.size(), with);
  };
  fill("{module}", module);
  fill("{name}", name);
  return statement;
}

class Search {
 public:
  Search(const ChangedTrees& trees, const StandardModules& standard)
      : trees_(trees), standard_(standard) {}

  std::vector<NeededImport> find() {
    for (const UndeclaredName& one : undeclared_names(trees_)) {
      const bool is_module = std::ranges::all_of(one.uses, &UndeclaredUse::is_qualifier);
      if (is_module && add_module(one.name)) continue;
      if (standard_.qualifier.empty()) add_name(one.name);
    }
    if (!standard_.qualifier.empty()) find_qualified();
    return std::move(found_);
  }

 private:
  bool add_module(const std::string& name) {
    const auto path = std::ranges::find_if(
        standard_.paths, [&](std::string_view one) { return last_part(one) == name; });
    if (path == standard_.paths.end()) return false;
    for (const ImportForm& form : standard_.forms) {
      if (trees_.after.text().find(form.where) == std::string::npos) continue;
      found_.push_back({in_style_of_file(filled_in(form.text, *path, name))});
      return true;
    }
    return false;
  }

  void add_name(const std::string& name) {
    for (const StandardNames& module : standard_.names) {
      if (!has_word(module.names, name) || is_supplied(module)) continue;
      const std::string statement = filled_in(standard_.name_form, module.module, name);
      const bool is_new = std::ranges::none_of(
          found_, [&](const NeededImport& one) { return one.statement == statement; });
      if (is_new) found_.push_back({statement, std::string(module.module), name});
      return;
    }
  }

  // C and C++: whether the file has the names of a header already, by itself or by another header.
  bool is_supplied(const StandardNames& module) const {
    if (trees_.after.language().modules != ModuleSystem::kInclude) return false;
    const std::string& before = trees_.before.text();
    const std::string header = "<" + std::string(module.module) + ">";
    if (trees_.after.text().find(header) != std::string::npos) return true;
    return std::ranges::any_of(split_words(module.names), [&](std::string_view name) {
      return has_name(before, std::string(standard_.qualifier).append(name));
    });
  }

  // Names behind "std::".
  void find_qualified() {
    const std::string_view text = trees_.after.text();
    std::set<std::string> names;
    for (const ByteRange& place : trees_.new_places) {
      for (const ByteRange& name : trees_.after.identifiers(place)) {
        if (text.substr(0, name.begin).ends_with(standard_.qualifier))
          names.insert(std::string(text.substr(name.begin, name.size())));
      }
    }
    for (const std::string& name : names) add_name(name);
  }

  // Scripts differ in quotes, and in whether statements end with a mark.
  std::string in_style_of_file(std::string statement) const {
    if (trees_.after.language().modules != ModuleSystem::kScript) return statement;
    const std::string& text = trees_.after.text();
    const bool is_double =
        text.find("require(\"") != text.npos || text.find("from \"") != text.npos;
    if (is_double) std::ranges::replace(statement, '\'', '"');
    const bool has_marks = text.find(";\n") != text.npos || text.find(";\r\n") != text.npos;
    if (!has_marks && statement.ends_with(';')) statement.pop_back();
    return statement;
  }

  const ChangedTrees& trees_;
  const StandardModules& standard_;
  std::vector<NeededImport> found_;
};

}  // namespace

std::vector<NeededImport> missing_imports(const ChangedTrees& trees) {
  const StandardModules* const standard = trees.after.language().standard_modules;
  return standard == nullptr ? std::vector<NeededImport>() : Search(trees, *standard).find();
}

}  // namespace redraft
