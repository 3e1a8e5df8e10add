#include "workspace/edit/kept_definitions.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "indexing/syntax/name_uses.h"
#include "languages/language.h"
#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/edit/macro_errors.h"

namespace redraft {
namespace {

// Two definitions with fewer names in common may be alike by chance.
constexpr std::size_t kMinSameNames = 3;

std::string_view text_of(const SyntaxTree& tree, const ByteRange& range) {
  return std::string_view(tree.text()).substr(range.begin, range.size());
}

// "is_contiguous" of "is_contiguous<T>".
std::string_view bare_name(std::string_view name) { return name.substr(0, name.find('<')); }

// The names of a definition; its own are empty.
std::vector<std::string_view> names_in(const SyntaxTree& tree, const NamedDefinition& definition) {
  std::vector<std::string_view> names;
  for (const ByteRange& place : tree.identifiers(definition.range)) {
    const std::string_view name = text_of(tree, place);
    names.push_back(name == bare_name(definition.name) ? std::string_view() : name);
  }
  return names;
}

// "leveldb.Env.start" for "Env::start" in the namespace leveldb.
std::string dotted_path(const NamedDefinition& definition) {
  std::string path = definition.path();
  for (std::size_t at = path.find("::"); at != std::string::npos; at = path.find("::"))
    path.replace(at, 2, ".");
  return path;
}

// The types around a definition, without the modules: "Client."
std::string types_around(const std::vector<NamedDefinition>& all, const NamedDefinition& inner) {
  std::string types;
  for (const NamedDefinition& one : all) {
    const bool is_around = one.range.contains(inner.name_range) && one.range != inner.range;
    if (is_around && one.kind != DefinitionKind::kModule) types += one.name + ".";
  }
  return types;
}

}  // namespace

KeptDefinitions::KeptDefinitions(const SyntaxTree& before, const SyntaxTree& after,
                                 const std::vector<TextEdit>& edits)
    : before_(before),
      after_(after),
      edits_(edits),
      new_places_(new_places(edits)),
      all_before_(named_definitions(before)),
      all_after_(named_definitions(after)) {}

bool KeptDefinitions::has(const NamedDefinition& lost) const {
  return is_untouched(lost) || is_elsewhere(lost) || is_of_another_kind(lost) || is_derived(lost) ||
         is_seen_without_macros(lost);
}

bool KeptDefinitions::is_changed(const ByteRange& range) const {
  return std::ranges::any_of(edits_, [&](const TextEdit& edit) {
    return edit.range.begin < range.end &&
           range.begin < std::max(edit.range.end, edit.range.begin + 1);
  });
}

std::size_t KeptDefinitions::now_at(std::size_t offset) const {
  std::size_t now = offset;
  for (const TextEdit& edit : edits_) {
    if (edit.range.end <= offset) now = now + edit.new_text.size() - edit.range.size();
  }
  return now;
}

bool KeptDefinitions::is_untouched(const NamedDefinition& lost) const {
  if (is_changed(lost.name_range)) return false;
  const std::size_t begin = now_at(lost.name_range.begin);
  const ByteRange name{begin, begin + lost.name_range.size()};
  const auto found = std::ranges::find(all_after_, name, &NamedDefinition::name_range);
  // The tree alone cannot tell whether what was changed belongs to it.
  if (found == all_after_.end()) {
    const bool is_code = !after_.identifiers(name).empty();  // not in a comment or a text
    return is_code && !is_changed(lost.range) && !after_.has_errors();
  }
  return found->name == lost.name &&
         types_around(all_after_, *found) == types_around(all_before_, lost);
}

bool KeptDefinitions::is_elsewhere(const NamedDefinition& lost) const {
  const std::string path = dotted_path(lost);
  if (path == lost.path()) return false;
  return std::ranges::any_of(all_after_, [&](const NamedDefinition& now) {
    return now.kind == lost.kind && now.path() != lost.path() && dotted_path(now) == path;
  });
}

bool KeptDefinitions::is_of_another_kind(const NamedDefinition& lost) const {
  const auto meanings = after_.meanings_of(lost.name);
  if (!meanings) return false;
  const auto is_new_declaration = [&](const NameUse& use) {
    return use.declares && use.doubt.empty() &&
           std::ranges::any_of(new_places_,
                               [&](const ByteRange& place) { return place.contains(use.range); }) &&
           std::ranges::none_of(all_after_, [&](const NamedDefinition& one) {
             return one.range.contains(use.range) && one.kind != DefinitionKind::kModule;
           });
  };
  return std::ranges::any_of(meanings->things, [&](const NamedThing& thing) {
    const bool is_outermost =
        thing.kind == NamedThing::Kind::kOfFile || thing.kind == NamedThing::Kind::kImport;
    return is_outermost && lost.around.empty() &&
           std::ranges::any_of(thing.uses, is_new_declaration);
  });
}

// Members of other types may well have the name: "request.count".
bool KeptDefinitions::is_used(const std::string& name) const {
  if (!has_name(after_.text(), name)) return false;
  const auto meanings = after_.meanings_of(name);
  return !meanings || !meanings->unknown.empty() || !meanings->as_text.empty() ||
         std::ranges::any_of(meanings->things, [](const NamedThing& thing) {
           return thing.kind != NamedThing::Kind::kMember && !thing.uses.empty();
         });
}

bool KeptDefinitions::is_seen_without_macros(const NamedDefinition& lost) const {
  const std::optional<SyntaxTree> tree = without_new_macros(after_, new_places_);
  return tree && std::ranges::any_of(named_definitions(*tree), [&](const NamedDefinition& one) {
           return one.kind == lost.kind && one.path() == lost.path();
         });
}

// Whether something else opens the block of a definition: "app.get('/', function (req, res) {".
bool KeptDefinitions::has_other_head(const NamedDefinition& lost) const {
  const std::string_view text = before_.text();
  const std::size_t end = line_end(text, lost.name_range.end);
  const std::string_view head =
      trimmed(text.substr(lost.name_range.end, end - lost.name_range.end));
  return !head.empty() && std::ranges::any_of(edits_, [&](const TextEdit& edit) {
    return edit.range.contains(lost.name_range) && edit.range.end >= end &&
           trimmed(edit.new_text, " \t\r\n").ends_with(head.back());
  });
}

// The function of a handler became the handler itself.
bool KeptDefinitions::is_written_in_place(const NamedDefinition& lost) const {
  if (is_used(lost.name) || !has_other_head(lost)) return false;
  std::size_t n_lines = 0, n_kept = 0;
  const std::string_view text = before_.text();
  const std::size_t head_end = line_end(text, lost.name_range.end);
  for (std::size_t at = head_end + 1; at < lost.range.end; at = line_end(text, at) + 1) {
    const std::size_t begin = skip_blanks(text, at), end = line_end(text, at);
    if (begin >= end || !std::ranges::any_of(text.substr(begin, end - begin), is_name_byte))
      continue;
    ++n_lines;
    if (!is_changed({begin, end})) ++n_kept;
  }
  return n_lines > 0 && 4 * n_kept >= 3 * n_lines;
}

bool KeptDefinitions::is_derived(const NamedDefinition& lost) const {
  if (before_.language().modules != ModuleSystem::kRust) return false;
  const auto around = std::ranges::find_if(all_before_, [&](const NamedDefinition& one) {
    return one.kind == DefinitionKind::kImplementation && one.range.contains(lost.range);
  });
  if (around == all_before_.end()) return false;
  // "impl fmt::Debug for Mode": the trait is the last name before "for".
  std::string_view head = text_of(before_, around->range);
  head = head.substr(0, head.find('{'));
  std::string_view trait;
  for_each_name(head.substr(0, find_name(head, "for")),
                [&](std::string_view name) { trait = name; });
  return find_name(head, "for") != head.npos &&
         std::ranges::any_of(all_after_, [&](const NamedDefinition& type) {
           if (type.kind != DefinitionKind::kType || type.name != bare_name(around->name))
             return false;
           const std::string_view above =
               std::string_view(after_.text())
                   .substr(type.range.begin, type.name_range.begin - type.range.begin);
           const std::size_t derive = find_name(above, "derive");
           return derive != above.npos && has_name(above.substr(derive), trait);
         });
}

bool KeptDefinitions::is_same_under_other_name(const NamedDefinition& lost,
                                               const NamedDefinition& now) const {
  if (lost.kind != now.kind) return false;
  const std::vector<std::string_view> names = names_in(before_, lost);
  return names.size() >= kMinSameNames && names == names_in(after_, now);
}

bool KeptDefinitions::is_own_rename(const NamedDefinition& lost) const {
  if (is_used(lost.name)) return false;
  const std::string_view text = before_.text();
  const std::size_t line = line_start(text, lost.name_range.begin);
  const std::string_view head = text.substr(line, lost.name_range.begin - line);
  const bool is_private =
      has_name(head, "private") || (lost.name.starts_with('_') && !lost.name.starts_with("__"));
  // A test is called by its framework, whatever its name is.
  const bool is_test = lower_case(lost.name).starts_with("test");
  switch (before_.language().modules) {
    case ModuleSystem::kRust:
      return !has_name(head, "pub") && types_around(all_before_, lost).empty();
    case ModuleSystem::kInclude:
      return is_private || is_test || has_name(head, "static");
    default:
      return is_private || is_test;
  }
}

}  // namespace redraft
