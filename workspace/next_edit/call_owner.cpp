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
using Match = CallOwner::Match;

fs::path path_of(const Document& document) {
  return path_of_uri(document.uri()).value_or(fs::path());
}

Match match_of(ImportSource source) {
  switch (source) {
    case ImportSource::kAnother:
      return Match::kNone;
    case ImportSource::kPerhaps:
      return Match::kPerhaps;
    case ImportSource::kFile:
      return Match::kCertain;
  }
  return Match::kPerhaps;
}

// Whether one use of the thing is at `range`, without a doubt.
bool has(const NamedThing& thing, const ByteRange& range) {
  return std::ranges::any_of(
      thing.uses, [&](const NameUse& use) { return use.doubt.empty() && use.range == range; });
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

// A call through the type passes the object, too: "Server.start(server, 1)"; in Zig also
// "start(server, 1)".
void leave_out_object(const Signature& signature, const CallStyle& style, Call& call) {
  const bool is_by_name = style.passes_object && call.receiver.empty();
  const bool is_by_type = !signature.owner.empty() && last_name(call.receiver) == signature.owner;
  const bool passes = signature.receiver == Signature::Receiver::kObject &&
                      (is_by_name || is_by_type || call.receiver == "Self");
  if (!passes || call.all.empty() || !call.all.front().name.empty()) return;
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
  for (Call& call : calls) leave_out_object(function, tree.call_style(), call);
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

Match CallOwner::match(const Call& call) const {
  if (!meanings_) return Match::kNone;
  const Match match = by_meaning(call);
  return signature_.is_wrapped ? std::min(match, Match::kPerhaps) : match;
}

// By what the name means where it is called.
Match CallOwner::by_meaning(const Call& call) const {
  Match best = Match::kNone;
  bool is_clear = false;
  for (const NamedThing& thing : meanings_->things) {
    for (const NameUse& use : thing.uses) {
      if (use.range != call.name) continue;
      is_clear = is_clear || use.doubt.empty();
      best = std::max(best, is_home_ ? in_home(thing, use, call) : in_other_document(thing, use));
    }
  }
  if (is_clear || is_home_ || best != Match::kNone) return best;
  return call.receiver.empty() ? by_undeclared_name(call) : by_receiver(call);
}

Match CallOwner::in_home(const NamedThing& thing, const NameUse& use, const Call& call) const {
  if (!has(thing, signature_.declared)) return Match::kNone;
  const bool is_doubtful = !use.doubt.empty() && call.receiver != signature_.owner;
  if (is_doubtful || thing.n_functions > 1 || thing.overrides || has_variants(thing))
    return Match::kPerhaps;
  return Match::kCertain;
}

// Whether it has versions with other parameters: overloads, or functions that override it.
bool CallOwner::has_variants(const NamedThing& thing) const {
  return std::ranges::any_of(signatures_, [&](const Signature& other) {
    return other.name == signature_.name && has(thing, other.declared) &&
           other.all != signature_.all;
  });
}

Match CallOwner::in_other_document(const NamedThing& thing, const NameUse& use) const {
  if (signature_.is_member || !use.doubt.empty()) return Match::kNone;
  const NameOrigin origin = origin_of(thing);
  if (origin.kind != NameOrigin::Kind::kImport) return Match::kNone;
  return match_of(reader_.of_name(origin.import, signature_.name));
}

CallOwner::NameOrigin CallOwner::origin_of(const NamedThing& thing) const {
  for (const NameUse& use : thing.uses) {
    if (!use.declares) continue;
    for (const Import& import : imports_.all) {
      if (import.range.contains(use.range))
        return {NameOrigin::Kind::kImport, text_of(import.range)};
    }
    const std::string_view line = text_of(whole_lines(tree_.text(), use.range));
    if (modules_ == ModuleSystem::kScript && has_name(line, "require"))
      return {NameOrigin::Kind::kImport, line};
  }
  return {NameOrigin::Kind::kDocument};
}

// Where the document has the name from that is at `begin`.
CallOwner::NameOrigin CallOwner::origin_of(std::string_view name, std::size_t begin) const {
  const ByteRange range{begin, begin + name.size()};
  const std::optional<NameMeanings> meanings = tree_.meanings_of(std::string(name));
  if (!meanings) return {NameOrigin::Kind::kDocument};
  for (const NamedThing& thing : meanings->things) {
    if (has(thing, range)) return origin_of(thing);
  }
  return {NameOrigin::Kind::kUnknown};
}

std::string_view CallOwner::text_of(const ByteRange& range) const {
  return std::string_view(tree_.text()).substr(range.begin, range.size());
}

// "name()", which the document does not declare.
Match CallOwner::by_undeclared_name(const Call& call) const {
  const bool is_unknown =
      std::ranges::find(meanings_->unknown, call.name) != meanings_->unknown.end();
  if (!is_unknown) return Match::kNone;
  const bool is_member = signature_.is_member;
  switch (modules_) {
    case ModuleSystem::kCSharp:
      return Match::kPerhaps;
    case ModuleSystem::kJava:
      return !is_member && is_same_folder() ? Match::kCertain : Match::kPerhaps;
    case ModuleSystem::kGo:
      return !is_member && is_same_folder() ? Match::kCertain : Match::kNone;
    case ModuleSystem::kInclude:
      return is_member ? Match::kNone : by_includes();
    default:
      return is_member ? Match::kNone : by_imports();
  }
}

bool CallOwner::is_same_folder() const {
  const fs::path here = path_of(document_), there = path_of(home_);
  return !here.empty() && here.parent_path() == there.parent_path();
}

// Another file may declare the function by itself, without the header.
Match CallOwner::by_includes() const {
  if (is_static()) return Match::kNone;
  const bool may_differ = has_overloads(document_) || has_overloads(home_);
  return may_differ ? Match::kPerhaps : std::max(by_imports(), Match::kPerhaps);
}

// By statements that import everything, or the function. (The tree does not take every statement
// that imports a name for a declaration of it.)
Match CallOwner::by_imports() const {
  Match best = Match::kNone;
  for (const Import& import : imports_.all) {
    const std::string_view text = text_of(import.range);
    best = std::max(best, match_of(reader_.of_all(text)));
    if (has_name(text, signature_.name))
      best = std::max(best, match_of(reader_.of_name(text, signature_.name)));
  }
  return best;
}

// C: whether no other file can call the function.
bool CallOwner::is_static() const {
  const std::string_view text = home_.text();
  const std::size_t line = line_start(text, signature_.head.begin);
  const std::string_view above = text.substr(0, line == 0 ? 0 : line - 1);
  const std::size_t line_above = line_start(above, above.size());
  const bool is_type_above = line < text.size() && !is_space(text[line]);  // GNU's style
  const std::size_t begin = is_type_above ? line_above : line;
  return has_name(text.substr(begin, signature_.head.begin - begin), "static");
}

Match CallOwner::by_receiver(const Call& call) const {
  if (!signature_.is_member) return by_module(call);
  const bool is_of_type = last_name(call.receiver) == signature_.owner;
  return is_of_type ? by_type(call) : Match::kPerhaps;
}

// "Type.name()": whether the type is the function's.
Match CallOwner::by_type(const Call& call) const {
  if (call.receiver != signature_.owner) return Match::kPerhaps;  // "a.Type.name()"
  const NameOrigin origin = origin_of(signature_.owner, call.range.begin);
  switch (origin.kind) {
    case NameOrigin::Kind::kUnknown:
      return modules_ == ModuleSystem::kJava && is_same_folder() ? Match::kCertain
                                                                 : Match::kPerhaps;
    case NameOrigin::Kind::kDocument:
      return Match::kNone;
    case NameOrigin::Kind::kImport:
      return match_of(reader_.of_name(origin.import, signature_.owner));
  }
  return Match::kPerhaps;
}

// "module.name()": whether the module is the function's file.
Match CallOwner::by_module(const Call& call) const {
  const std::string_view first = first_name(call.receiver);
  if (first.empty()) return Match::kNone;
  if (modules_ == ModuleSystem::kInclude) return by_namespace(call);
  const NameOrigin origin = origin_of(first, call.range.begin);
  if (origin.kind == NameOrigin::Kind::kImport)
    return match_of(reader_.of_module(origin.import, call.receiver));
  if (modules_ == ModuleSystem::kRust) return by_rust_path(call);
  // Only Go's imports need not have the name that they make known.
  if (origin.kind == NameOrigin::Kind::kDocument || modules_ != ModuleSystem::kGo)
    return Match::kNone;
  Match best = Match::kNone;
  for (const Import& import : imports_.all)
    best = std::max(best, match_of(reader_.of_module(text_of(import.range), call.receiver)));
  return best;
}

// C++: "space::name()".
Match CallOwner::by_namespace(const Call& call) const {
  const bool is_namespace = text_of({call.range.begin, call.name.begin}).ends_with("::");
  return is_namespace ? std::min(by_imports(), Match::kPerhaps) : Match::kNone;
}

// Rust: "module::name()", by a `use` of the module or by the path alone.
Match CallOwner::by_rust_path(const Call& call) const {
  const std::string_view first = first_name(call.receiver);
  for (const Import& import : imports_.all) {
    const std::string_view text = text_of(import.range);
    if (has_name(text, first) &&
        match_of(reader_.of_module(text, call.receiver)) == Match::kCertain)
      return Match::kCertain;
  }
  const Match by_path = match_of(reader_.of_module("use " + call.receiver + ";", {}));
  const bool is_absolute = first == "crate" || first == "super";
  return is_absolute ? by_path : std::min(by_path, Match::kPerhaps);
}

}  // namespace redraft
