#include "workspace/edit/undefined_names.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

constexpr std::size_t kMinMarkedFields = 3;

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool is_variable_name(std::string_view name) {
  return !std::ranges::any_of(name.substr(0, 1), is_upper);
}

// "width_", "m_width", "_width": often a field, which another file may declare.
bool is_field_name(std::string_view name) {
  return name.starts_with('_') || name.ends_with('_') || name.starts_with("m_");
}

// Where the fields of classes end with "_", what does not is no field.
bool marks_fields(std::string_view text) {
  std::set<std::string_view> marked;
  for_each_name(text, [&](std::string_view name) {
    if (name.size() > 1 && is_field_name(name) && !name.starts_with('_')) marked.insert(name);
  });
  return marked.size() >= kMinMarkedFields;
}

// "kNoCompression": a constant, which any header may declare.
bool is_constant_name(std::string_view name) {
  return name.size() > 1 && name.starts_with('k') && is_upper(name[1]);
}

// A script without any of these may use what others of its page define.
bool has_module_words(std::string_view text) {
  return has_name(text, "require") || has_name(text, "export") || has_name(text, "exports");
}

class Search {
 public:
  Search(const ChangedTrees& trees, OtherFiles others)
      : trees_(trees),
        others_(std::move(others)),
        language_(trees.after.language()),
        known_(**language_.known_names),
        imports_(trees.after.imports()),
        is_module_(!imports_.all.empty() || has_module_words(trees.after.text())),
        marks_fields_(language_.modules == ModuleSystem::kInclude &&
                      marks_fields(trees.after.text())),
        wildcard_scopes_(wildcard_scopes()) {}

  std::vector<UndeclaredName> undeclared() const {
    std::vector<UndeclaredName> found;
    for (const std::string& name : changed_names()) {
      if (std::optional<UndeclaredName> one = examine(name)) found.push_back(*std::move(one));
    }
    return found;
  }

  std::vector<UndefinedName> undefined() const {
    std::vector<UndefinedName> found;
    for (const UndeclaredName& one : undeclared()) {
      if (has_word(known_.builtins, one.name)) continue;
      const auto use = std::ranges::find_if(
          one.uses, [&](const UndeclaredUse& each) { return is_certain(one.name, each); });
      if (use != one.uses.end()) found.push_back({one.name, use->range, one.was_known});
    }
    std::ranges::sort(found, {}, [](const UndefinedName& one) { return one.place.begin; });
    return found;
  }

 private:
  std::string_view text_of(const ByteRange& range) const {
    return std::string_view(trees_.after.text()).substr(range.begin, range.size());
  }

  // Those that stand in new text, and those that stood in the old one.
  std::set<std::string> changed_names() const {
    std::set<std::string> names;
    const auto add = [&](const SyntaxTree& tree, const std::vector<ByteRange>& places) {
      for (const ByteRange& place : places) {
        for (const ByteRange& name : tree.identifiers(place))
          names.insert(tree.text().substr(name.begin, name.size()));
      }
    };
    add(trees_.after, trees_.new_places);
    add(trees_.before, trees_.old_places);
    return names;
  }

  std::optional<UndeclaredName> examine(const std::string& name) const {
    const bool is_blank = std::ranges::all_of(name, [](char c) { return c == '_'; });
    if (is_blank || has_word(language_.keywords, name) || is_in_imports(name)) return std::nullopt;
    std::optional<NameMeanings> now = trees_.after.meanings_of(name);
    if (!now || has_dotted_import(name)) return std::nullopt;
    std::erase_if(now->undeclared, [&](const UndeclaredUse& use) {
      return import_around(use) != nullptr || may_be_of_wildcard(use);
    });
    if (now->undeclared.empty()) return std::nullopt;
    const std::optional<NameMeanings> then = trees_.before.meanings_of(name);
    if (!then || !then->unknown.empty()) return std::nullopt;
    const bool was_known = !then->things.empty() && now->things.empty();
    return UndeclaredName{name, std::move(now->undeclared), was_known};
  }

  // Where an import makes known all names of something: in the definition around it, or everywhere.
  // Rust: "use super::*" in a module within the file adds nothing to what is around the module.
  std::vector<ByteRange> wildcard_scopes() const {
    std::vector<ByteRange> scopes;
    for (const Import& import : imports_.all) {
      const std::string_view text = text_of(import.range);
      if (!has_wildcard(text)) continue;
      const auto around = trees_.after.enclosing_definition(import.range.begin);
      const bool is_inner = around && around->range.begin < import.range.begin;
      const bool is_of_file = is_inner && text.find("use super::*") != text.npos;
      if (!is_of_file)
        scopes.push_back(is_inner ? around->range : ByteRange{0, trees_.after.text().size()});
    }
    return scopes;
  }

  bool may_be_of_wildcard(const UndeclaredUse& use) const {
    return std::ranges::any_of(wildcard_scopes_,
                               [&](const ByteRange& scope) { return scope.contains(use.range); });
  }

  bool has_wildcard(std::string_view import) const {
    const std::string_view wildcards = known_.wildcards;
    return !wildcards.empty() &&
           std::ranges::any_of(split_words(wildcards),
                               [&](std::string_view word) { return is_wildcard(import, word); });
  }

  // Whether it stands in an import by itself: "import *", "use a::*", "import . "a"".
  bool is_wildcard(std::string_view text, std::string_view word) const {
    if (language_.modules == ModuleSystem::kGo)
      return text.find(" . \"") != text.npos || text.find("\t. \"") != text.npos;
    const bool is_name = is_name_byte(word.front());
    return is_name ? has_name(text, word) : text.find(word) != text.npos;
  }

  const Import* import_around(const UndeclaredUse& use) const {
    const auto found = std::ranges::find_if(
        imports_.all, [&](const Import& one) { return one.range.contains(use.range); });
    return found == imports_.all.end() ? nullptr : &*found;
  }

  // Python: whether it is "a" of "import a.b", which makes it known, be it within a function.
  bool has_dotted_import(const std::string& name) const {
    if (language_.modules != ModuleSystem::kPython) return false;
    const std::string_view text = trees_.after.text();
    for (std::size_t at = find_name(text, name); at != text.npos;
         at = find_name(text, name, at + 1)) {
      const std::size_t begin = skip_blanks(text, line_start(text, at));
      const bool is_first = text.substr(begin).starts_with("import ") &&
                            text.substr(at + name.size()).starts_with('.') &&
                            (text[at - 1] == ' ' || text[at - 1] == ',');
      if (is_first) return true;
    }
    return false;
  }

  // Where the tree does not say which names an import makes known.
  bool is_in_imports(const std::string& name) const {
    const ModuleSystem modules = language_.modules;
    if (modules == ModuleSystem::kPython || modules == ModuleSystem::kScript) return false;
    return std::ranges::any_of(
        imports_.all, [&](const Import& import) { return has_name(text_of(import.range), name); });
  }

  bool is_certain(const std::string& name, const UndeclaredUse& use) const {
    switch (language_.modules) {
      case ModuleSystem::kPython:
        return true;
      case ModuleSystem::kScript:
        return is_module_ || (is_variable(name, use) && !use.is_qualifier);
      case ModuleSystem::kRust:
        return !(use.is_qualifier && is_variable_name(name) && is_path(use));
      case ModuleSystem::kGo:
        if (use.is_type || use.is_called) return is_unknown_to_index(name);
        return is_variable_name(name) && use.in_function && !is_defined_elsewhere(name);
      case ModuleSystem::kJava:
        if (use.may_be_inherited) return false;
        if (use.is_type || !is_variable_name(name)) return is_unknown_to_index(name);
        return true;
      case ModuleSystem::kInclude:
        return is_certain_include(name, use);
      case ModuleSystem::kCSharp:
      case ModuleSystem::kUnknown:
        return is_variable(name, use) && !use.may_be_inherited;
    }
    return false;
  }

  bool is_certain_include(const std::string& name, const UndeclaredUse& use) const {
    if (imports_.all.empty()) return !use.may_be_inherited;
    return is_variable(name, use) && (!use.may_be_inherited || marks_fields_) &&
           !is_field_name(name) && !is_constant_name(name);
  }

  bool is_variable(const std::string& name, const UndeclaredUse& use) const {
    const bool is_module =
        use.is_qualifier && (is_path(use) || language_.modules == ModuleSystem::kUnknown);
    return is_variable_name(name) && use.in_function && !use.is_called && !use.is_type &&
           !is_module;
  }

  // "a::b"
  bool is_path(const UndeclaredUse& use) const {
    return trees_.after.text().compare(use.range.end, 2, "::") == 0;
  }

  bool is_defined_elsewhere(const std::string& name) const {
    return others_.defines && others_.defines(name);
  }
  bool is_unknown_to_index(const std::string& name) const {
    return others_.is_complete && !is_defined_elsewhere(name);
  }

  const ChangedTrees& trees_;
  OtherFiles others_;
  const Language& language_;
  const KnownNames& known_;
  Imports imports_;
  bool is_module_;     // another script cannot give it names
  bool marks_fields_;  // C++: "width_"
  std::vector<ByteRange> wildcard_scopes_;
};

bool is_followed(const Language& language) {
  return *language.known_names != nullptr && *language.scopes != nullptr;
}

// Where the text does not parse, what looks like a name may be anything.
bool has_error_in(const SyntaxTree& tree, const std::vector<ByteRange>& places) {
  const std::vector<SyntaxError> errors = tree.errors();
  return std::ranges::any_of(errors, [&](const SyntaxError& error) {
    return std::ranges::any_of(places, [&](const ByteRange& place) {
      return error.range.begin <= place.end && place.begin <= error.range.end;
    });
  });
}

}  // namespace

std::vector<UndeclaredName> undeclared_names(const ChangedTrees& trees) {
  return is_followed(trees.after.language()) ? Search(trees, {}).undeclared()
                                             : std::vector<UndeclaredName>();
}

std::vector<UndefinedName> undefined_names(const ChangedTrees& trees, const OtherFiles& others) {
  if (!is_followed(trees.after.language()) || has_error_in(trees.after, trees.new_places))
    return {};
  return Search(trees, others).undefined();
}

}  // namespace redraft
