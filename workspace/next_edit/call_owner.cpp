#include "workspace/next_edit/call_owner.h"

#include <algorithm>
#include <filesystem>

#include "indexing/syntax/syntax_tree.h"
#include "languages/languages.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;
using Is = CallOwner::Is;

fs::path path_of(const Document& document) {
  return path_of_uri(document.uri()).value_or(fs::path());
}

Is by_source(ImportSource source) {
  if (source == ImportSource::kAnother) return Is::kAnother;
  return source == ImportSource::kFile ? Is::kCertain : Is::kPerhaps;
}

// Whether functions of one name may differ in their parameters. A language that redraft does not
// know may have them.
bool has_overloads(const Document& document) {
  const Language* const language = find_language(document.language());
  const SignatureTypes* const types = language == nullptr ? nullptr : *language->signatures;
  return types == nullptr || types->has_overloads;
}

// "c" of "a.b().c".
std::string_view last_name(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::string_view first_name(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  return text.substr(0, end);
}

// A call through the type passes the object, too: "Server.start(server, 1)".
void leave_out_object(const Signature& signature, Call& call) {
  const bool is_by_type = signature.receiver == Signature::Receiver::kObject &&
                          !signature.owner.empty() &&
                          (last_name(call.receiver) == signature.owner || call.receiver == "Self");
  if (!is_by_type || call.all.empty() || !call.all.front().name.empty()) return;
  call.all.erase(call.all.begin());
  call.is_odd = true;
}

}  // namespace

std::string language_family(const Document& document) {
  return std::string(family_of(document.language()));
}

const SyntaxTree* tree_to_compare(const Document& document) {
  return document.text().size() > kMaxBytesCompared ? nullptr : document.syntax();
}

std::vector<Call> calls_of(const SyntaxTree& tree, const Signature& function) {
  std::vector<Call> calls = tree.calls_of(function.name);
  for (Call& call : calls) leave_out_object(function, call);
  return calls;
}

CallOwner::CallOwner(const Document& home, const Signature& function, const Document& document,
                     const SyntaxTree& tree)
    : home_(home),
      signature_(function),
      document_(document),
      tree_(tree),
      modules_(tree.language().modules),
      is_home_(home.uri() == document.uri()),
      reader_(modules_, path_of(document), path_of(home)),
      meanings_(tree.meanings_of(function.name)) {
  if (is_home_)
    signatures_ = tree.signatures();
  else
    imports_ = tree.imports();
}

CallOwner::Is CallOwner::of(const Call& call) const {
  const Is is = meanings_ ? by_name(call) : Is::kAnother;
  return signature_.is_wrapped ? std::min(is, Is::kPerhaps) : is;
}

CallOwner::Is CallOwner::by_name(const Call& call) const {
  Is whose = Is::kAnother;
  bool is_clear = false;  // whether it is clear what the name means there
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

// Whether it has versions with other parameters: overloads, or functions that override it.
bool CallOwner::is_several(const NamedThing& thing) const {
  return std::ranges::any_of(signatures_, [&](const Signature& other) {
    return other.name == signature_.name && has(thing, other.declared) &&
           other.all != signature_.all;
  });
}

CallOwner::Is CallOwner::elsewhere(const NamedThing& thing, const NameUse& use) const {
  if (signature_.is_member || !use.doubt.empty()) return Is::kAnother;
  const std::string_view import = import_of(thing);
  return import.empty() ? Is::kAnother : by_source(reader_.of_name(import, signature_.name));
}

std::string_view CallOwner::import_of(const NamedThing& thing) const {
  for (const NameUse& use : thing.uses) {
    if (!use.declares) continue;
    for (const Import& import : imports_.all) {
      if (import.range.contains(use.range)) return text_of(import.range);
    }
    const std::string_view line = text_of(whole_lines(tree_.text(), use.range));
    if (modules_ == ModuleSystem::kScript && has_name(line, "require")) return line;
  }
  return {};
}

std::optional<std::string_view> CallOwner::import_of(std::string_view name,
                                                     std::size_t begin) const {
  const ByteRange range{begin, begin + name.size()};
  const std::optional<NameMeanings> meanings = tree_.meanings_of(std::string(name));
  if (!meanings) return std::string_view();
  for (const NamedThing& thing : meanings->things) {
    if (has(thing, range)) return import_of(thing);
  }
  return std::nullopt;
}

std::string_view CallOwner::text_of(const ByteRange& range) const {
  return std::string_view(tree_.text()).substr(range.begin, range.size());
}

// No document that is known here declares the name.
CallOwner::Is CallOwner::by_name_alone(const Call& call) const {
  const bool is_unknown =
      std::ranges::find(meanings_->unknown, call.name) != meanings_->unknown.end();
  if (!is_unknown) return Is::kAnother;
  if (modules_ == ModuleSystem::kCSharp) return Is::kPerhaps;
  if (modules_ == ModuleSystem::kJava)
    return !signature_.is_member && is_same_folder() ? Is::kCertain : Is::kPerhaps;
  if (signature_.is_member) return Is::kAnother;
  if (modules_ == ModuleSystem::kGo) return is_same_folder() ? Is::kCertain : Is::kAnother;
  if (modules_ != ModuleSystem::kInclude) return imported();
  if (is_static()) return Is::kAnother;
  const bool may_differ = has_overloads(document_) || has_overloads(home_);
  return may_differ ? Is::kPerhaps : std::max(imported(), Is::kPerhaps);
}

bool CallOwner::is_same_folder() const {
  const fs::path here = path_of(document_), there = path_of(home_);
  return !here.empty() && here.parent_path() == there.parent_path();
}

// By statements that import everything, or name it: in some languages that is not a declaration.
CallOwner::Is CallOwner::imported() const {
  Is is = Is::kAnother;
  for (const Import& import : imports_.all) {
    const std::string_view text = text_of(import.range);
    is = std::max(is, by_source(reader_.of_all(text)));
    if (has_name(text, signature_.name))
      is = std::max(is, by_source(reader_.of_name(text, signature_.name)));
  }
  return is;
}

// C: no other file can call it.
bool CallOwner::is_static() const {
  const std::string_view text = home_.text();
  const std::size_t line = line_start(text, signature_.head.begin);
  const std::string_view above = text.substr(0, line == 0 ? 0 : line - 1);
  const std::size_t line_above = line_start(above, above.size());
  const bool is_type_above = line < text.size() && !is_space(text[line]);  // GNU's style
  const std::size_t begin = is_type_above ? line_above : line;
  return has_name(text.substr(begin, signature_.head.begin - begin), "static");
}

CallOwner::Is CallOwner::by_receiver(const Call& call) const {
  if (!signature_.is_member) return of_module(call);
  const bool is_by_type = last_name(call.receiver) == signature_.owner;
  return is_by_type ? of_type(call) : Is::kPerhaps;
}

// "Type.name()": whether the type is this function's.
CallOwner::Is CallOwner::of_type(const Call& call) const {
  if (call.receiver != signature_.owner) return Is::kPerhaps;
  const auto import = import_of(signature_.owner, call.range.begin);
  if (!import)
    return modules_ == ModuleSystem::kJava && is_same_folder() ? Is::kCertain : Is::kPerhaps;
  return import->empty() ? Is::kAnother : by_source(reader_.of_name(*import, signature_.owner));
}

// "module.name()": whether the module is the function's file.
CallOwner::Is CallOwner::of_module(const Call& call) const {
  const std::string_view first = first_name(call.receiver);
  if (first.empty()) return Is::kAnother;
  if (modules_ == ModuleSystem::kInclude) {
    const bool is_namespace = text_of({call.range.begin, call.name.begin}).ends_with("::");
    return is_namespace ? std::min(imported(), Is::kPerhaps) : Is::kAnother;
  }
  const auto import = import_of(first, call.range.begin);
  if (import && !import->empty()) return by_source(reader_.of_module(*import, call.receiver));
  if (import && modules_ != ModuleSystem::kRust) return Is::kAnother;
  Is is = Is::kAnother;
  for (const Import& each : imports_.all) {
    const std::string_view text = text_of(each.range);
    if (modules_ == ModuleSystem::kGo || (modules_ == ModuleSystem::kRust && has_name(text, first)))
      is = std::max(is, by_source(reader_.of_module(text, call.receiver)));
  }
  if (modules_ != ModuleSystem::kRust || is == Is::kCertain) return is;
  const Is by_path = by_source(reader_.of_module("use " + call.receiver + ";", {}));
  return first == "crate" || first == "super" ? by_path : std::min(by_path, Is::kPerhaps);
}

}  // namespace redraft
