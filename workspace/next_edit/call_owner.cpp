#include "workspace/next_edit/call_owner.h"

#include <algorithm>
#include <filesystem>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/syntax_tree.h"
#include "indexing/syntax/text_lines.h"
#include "support/names.h"
#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

std::string stem_of(const Document& document) {
  const auto path = path_of_uri(document.uri());
  return path ? path->stem().string() : std::string();
}

std::string folder_of(const Document& document) {
  const auto path = path_of_uri(document.uri());
  return path ? path->parent_path().filename().string() : std::string();
}

}  // namespace

std::string language_family(const Document& document) {
  const std::string language = document.language();
  if (language.starts_with("javascript") || language.starts_with("typescript")) return "script";
  return language == "cpp" || language.starts_with("cuda") ? "c" : language;
}

std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
  return text.substr(begin);
}

CallOwner::CallOwner(const Document& home, const Signature& function, const Document& document,
                     const SyntaxTree& tree)
    : home_(home),
      signature_(function),
      document_(document),
      tree_(tree),
      is_home_(home.uri() == document.uri()),
      meanings_(tree.meanings_of(function.name)) {
  if (is_home_) signatures_ = tree.signatures();
}

CallOwner::Is CallOwner::of(const Call& call) const {
  if (!meanings_) return Is::kAnother;
  Is whose = Is::kAnother;
  bool is_clear = false;  // what the name is there
  for (const NamedThing& thing : meanings_->things) {
    for (const NameUse& use : thing.uses) {
      if (use.range != call.name) continue;
      is_clear = is_clear || use.doubt.empty();
      whose = std::max(whose, is_home_ ? at_home(thing, use, call) : elsewhere(thing, use));
    }
  }
  if (is_clear || is_home_ || whose != Is::kAnother) return whose;
  return call.receiver.empty() ? by_name_alone(call) : by_receiver(call);
}

bool CallOwner::has(const NamedThing& thing, const ByteRange& range) {
  return std::ranges::any_of(
      thing.uses, [&](const NameUse& use) { return use.doubt.empty() && use.range == range; });
}

CallOwner::Is CallOwner::at_home(const NamedThing& thing, const NameUse& use,
                                 const Call& call) const {
  if (!has(thing, signature_.declared)) return Is::kAnother;
  const bool is_doubtful = !use.doubt.empty() && call.receiver != signature_.owner;
  const bool is_certain = !is_doubtful && thing.n_functions < 2 && !thing.overrides;
  return is_certain && !is_several(thing) ? Is::kCertain : Is::kPerhaps;
}

// Whether it is a function with other parameters, too: one that overrides this one.
bool CallOwner::is_several(const NamedThing& thing) const {
  return std::ranges::any_of(signatures_, [&](const Signature& other) {
    return other.name == signature_.name && has(thing, other.declared) &&
           other.all != signature_.all;
  });
}

CallOwner::Is CallOwner::elsewhere(const NamedThing& thing, const NameUse& use) const {
  if (signature_.is_member || !use.doubt.empty()) return Is::kAnother;
  const bool comes_from_home = std::ranges::any_of(
      thing.uses, [&](const NameUse& each) { return each.declares && is_in_import(each.range); });
  return comes_from_home ? Is::kCertain : Is::kAnother;
}

// What statements that import from the function's file call it.
std::string CallOwner::module() const {
  const std::string stem = stem_of(home_);
  const bool is_folder = stem == "__init__" || stem == "index" || stem == "mod";
  return is_folder ? folder_of(home_) : stem;
}

bool CallOwner::is_in_import(const ByteRange& range) const {
  const std::string_view line = text_of(whole_lines(tree_.text(), range));
  if (has_name(line, "require") && has_name(line, module())) return true;  // JavaScript
  return std::ranges::any_of(tree_.imports().all, [&](const Import& import) {
    return import.range.contains(range) && has_name(text_of(import.range), module());
  });
}

// Whether a statement imports from the function's file, and names this.
bool CallOwner::is_imported(std::string_view name) const {
  return std::ranges::any_of(tree_.imports().all, [&](const Import& import) {
    const std::string_view text = text_of(import.range);
    return has_name(text, module()) && (name.empty() || has_name(text, name));
  });
}

std::string_view CallOwner::text_of(const ByteRange& range) const {
  return std::string_view(tree_.text()).substr(range.begin, range.size());
}

// The name is declared in no document that is known here.
CallOwner::Is CallOwner::by_name_alone(const Call& call) const {
  const bool is_unknown =
      std::ranges::find(meanings_->unknown, call.name) != meanings_->unknown.end();
  if (!is_unknown) return Is::kAnother;
  const std::string family = language_family(document_);
  if (signature_.is_member)
    return family == "java" || family == "csharp" ? Is::kPerhaps : Is::kAnother;
  if (family == "c") {
    if (is_static()) return Is::kAnother;
    return is_imported({}) ? Is::kCertain : Is::kPerhaps;
  }
  if (family == "go") {
    const auto here = path_of_uri(document_.uri()), there = path_of_uri(home_.uri());
    const bool is_package = here && there && here->parent_path() == there->parent_path();
    return is_package ? Is::kCertain : Is::kAnother;
  }
  return is_imported(signature_.name) ? Is::kCertain : Is::kAnother;
}

// C: no other file can call it.
bool CallOwner::is_static() const {
  const std::string_view text = home_.text();
  const std::size_t begin = signature_.head.begin;
  const std::size_t line = line_start(text, begin);
  return has_name(text.substr(line, begin - line), "static");
}

CallOwner::Is CallOwner::by_receiver(const Call& call) const {
  const std::string_view receiver = last_name(call.receiver);
  if (signature_.is_member) return receiver == signature_.owner ? Is::kCertain : Is::kPerhaps;
  const bool is_package = language_family(document_) == "go" && receiver == folder_of(home_);
  const bool is_module = receiver == module() && is_imported({});
  return is_package || is_module ? Is::kCertain : Is::kAnother;
}

}  // namespace redraft
