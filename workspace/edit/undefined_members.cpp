#include "workspace/edit/undefined_members.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/named_definitions.h"
#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

bool is_lower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

std::string_view last_word(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
  return text.substr(begin);
}

class Search {
 public:
  explicit Search(const ChangedTrees& trees)
      : trees_(trees),
        text_(trees.after.text()),
        language_(trees.after.language()),
        members_((*language_.known_names)->members),
        definitions_(named_definitions(trees.after)) {}

  std::vector<UndefinedMember> find() {
    std::set<std::string> known;  // the names that were examined
    std::vector<UndefinedMember> found;
    for (const ByteRange& place : trees_.new_places) {
      for (const ByteRange& name : trees_.after.identifiers(place)) {
        const std::string key(text_of(name));
        std::optional<UndefinedMember> undefined = examine_case(name);
        if (!undefined && known.insert(key).second) {
          undefined = examine_own(key);
          if (!undefined) undefined = examine_field(key);
        }
        const bool is_told = undefined && std::ranges::any_of(found, [&](const auto& one) {
                               return one.owner == undefined->owner && one.name == undefined->name;
                             });
        if (undefined && !is_told) found.push_back(*std::move(undefined));
      }
    }
    std::ranges::sort(found, {}, [](const UndefinedMember& one) { return one.place.begin; });
    return found;
  }

 private:
  std::string_view text_of(const ByteRange& range) const {
    return text_.substr(range.begin, range.size());
  }

  // "Kind::kOther" of an enumeration.
  std::optional<UndefinedMember> examine_case(const ByteRange& name) const {
    const std::string_view mark = members_.case_mark;
    const std::string_view before = text_.substr(0, name.begin);
    if (mark.empty() || !before.ends_with(mark)) return std::nullopt;
    const std::string_view written = last_word(before.substr(0, before.size() - mark.size()));
    const std::size_t begin = name.begin - mark.size() - written.size();
    const std::string_view owner = written == "Self" ? type_of_implementation(name) : written;
    const bool is_member = begin > 0 && (text_[begin - 1] == '.' || text_[begin - 1] == ':');
    if (owner.empty() || is_member || !is_case_name(name)) return std::nullopt;
    const NamedDefinition* const type = only_type(owner);
    if (type == nullptr || (written != "Self" && !is_enumeration(*type))) return std::nullopt;
    const std::string use = std::string(written) + std::string(mark) + std::string(text_of(name));
    const bool is_new = !has_name(trees_.before.text(), use);
    // Another part of the file may add to the type.
    const bool is_there = has_name(text_of(type->range), text_of(name)) || declares(text_of(name));
    if (!is_new || is_there) return std::nullopt;
    return UndefinedMember{std::string(owner), std::string(text_of(name)), name};
  }

  // Rust: "Mode" within "impl Mode {" and "impl Trait for Mode {"; empty: none is around.
  std::string_view type_of_implementation(const ByteRange& place) const {
    std::string_view type;
    for (const NamedDefinition& one : definitions_) {
      if (one.kind == DefinitionKind::kImplementation && one.range.contains(place)) type = one.name;
    }
    return type.substr(0, type.find('<'));
  }

  bool is_case_name(const ByteRange& name) const {
    const std::string_view text = text_of(name);
    if (has_word(members_.builtins, text)) return false;
    const bool is_upper = std::isupper(static_cast<unsigned char>(text.front())) != 0;
    const bool is_called = text_.substr(name.end).starts_with('(');
    const bool is_constant = std::ranges::none_of(text, is_lower);
    if (members_.are_cases_constants) return is_upper && is_constant && !is_called;
    if (members_.are_cases_camel) return is_upper && !is_constant;
    return !is_called;
  }

  // Whether a line gives the name to something: a constant or a type in an implementation.
  bool declares(std::string_view name) const {
    for (std::size_t at = find_name(text_, name); at != text_.npos;
         at = find_name(text_, name, at + 1)) {
      const std::string_view before =
          trimmed(text_.substr(line_start(text_, at), at - line_start(text_, at)));
      const std::string_view word = last_word(before);
      if (!word.empty() && has_word(members_.declaring_words, word)) return true;
    }
    return false;
  }

  // Null: none or several have that name.
  const NamedDefinition* only_type(std::string_view name) const {
    const NamedDefinition* only = nullptr;
    for (const NamedDefinition& one : definitions_) {
      if (one.name != name || one.kind == DefinitionKind::kFunction ||
          one.kind == DefinitionKind::kImplementation)
        continue;
      if (only != nullptr) return nullptr;
      only = &one;
    }
    return only;
  }

  bool is_enumeration(const NamedDefinition& type) const {
    const std::size_t begin = line_start(text_, type.name_range.begin);
    const std::string_view head = text_.substr(begin, type.name_range.begin - begin);
    if (has_name(head, "enum")) return true;
    return std::ranges::any_of(split_words(members_.enumeration_bases), [&](std::string_view base) {
      return has_name(behind_name(type), base);
    });
  }

  // The part of its head between its name and its body.
  std::string_view behind_name(const NamedDefinition& type) const {
    const std::string_view rest =
        text_.substr(type.name_range.end, type.range.end - type.name_range.end);
    return trimmed(rest.substr(0, rest.find_first_of(members_.body_marks)));
  }

  // "self.x" of a class.
  std::optional<UndefinedMember> examine_own(const std::string& name) const {
    if (!members_.has_own_members || has_word(members_.builtins, name) || name.starts_with("__"))
      return std::nullopt;
    const std::optional<NameMeanings> now = trees_.after.meanings_of(name);
    if (!now || !now->as_text.empty() || is_given(name)) return std::nullopt;
    for (const ByteRange& use : now->unknown_members) {
      const NamedDefinition* const type = type_around(use);
      const bool is_new_text = std::ranges::any_of(
          trees_.new_places, [&](const ByteRange& place) { return place.contains(use); });
      if (type == nullptr || !is_new_text || !is_complete(*type, use)) continue;
      const std::optional<NameMeanings> then = trees_.before.meanings_of(name);
      if (!then || !then->unknown_members.empty()) return std::nullopt;
      return UndefinedMember{type->name, name, use};
    }
    return std::nullopt;
  }

  // "x.Field" of a struct, and "Box{Field: 1}".
  std::optional<UndefinedMember> examine_field(const std::string& name) const {
    if (!members_.has_struct_fields) return std::nullopt;
    const std::optional<NameMeanings> now = trees_.after.meanings_of(name);
    if (!now) return std::nullopt;
    for (const MissingMember& use : now->missing_members) {
      const NamedDefinition* const type = only_type(use.type);
      const bool is_new_text = std::ranges::any_of(
          trees_.new_places, [&](const ByteRange& place) { return place.contains(use.range); });
      if (type == nullptr || !is_new_text || !is_certain_field(use.range, *type) ||
          has_name(text_of(type->range), name))
        continue;
      const std::optional<NameMeanings> then = trees_.before.meanings_of(name);
      if (!then || !then->missing_members.empty()) return std::nullopt;
      return UndefinedMember{use.type, name, use.range};
    }
    return std::nullopt;
  }

  // Whether the struct says all that such a place may name.
  bool is_certain_field(const ByteRange& use, const NamedDefinition& type) const {
    const bool is_go = language_.modules == ModuleSystem::kGo;
    const bool is_struct = is_go ? behind_name(type) == "struct" : is_rust_struct(type);
    if (!is_struct) return false;
    if (!trimmed(text_.substr(0, use.begin)).ends_with('.')) return is_of_file(type);
    // What may be a method is left out: another file may have it. In Rust, so may a `Deref`.
    return is_go && is_used_as_field(use) && !has_embedded(type);
  }

  // Whether its name means this type in all of the file.
  bool is_of_file(const NamedDefinition& type) const {
    const std::vector<Import> imports = trees_.after.imports().all;
    return type.around.empty() && std::ranges::none_of(imports, [&](const Import& import) {
             return has_name(text_of(import.range), type.name);
           });
  }

  // With fields that have names, and without attributes that may add others.
  bool is_rust_struct(const NamedDefinition& type) const {
    constexpr std::string_view kHarmless =
        "derive cfg cfg_attr doc allow deny warn expect non_exhaustive repr must_use deprecated "
        "serde";
    const std::string_view head =
        text_.substr(type.range.begin, type.name_range.begin - type.range.begin);
    for (std::size_t at = head.find("#["); at != head.npos; at = head.find("#[", at + 1)) {
      std::size_t end = at + 2;
      while (end < head.size() && is_name_byte(head[end])) ++end;
      if (!has_word(kHarmless, head.substr(at + 2, end - at - 2))) return false;
    }
    const std::string_view behind = behind_name(type);
    return last_word(trimmed(head)) == "struct" && behind.find(';') == behind.npos &&
           (behind.empty() || behind.front() != '(');
  }

  // "x.Name.more", "x.Name[0]", "x.Name = 1", "x.Name == y"
  bool is_used_as_field(const ByteRange& name) const {
    const std::string_view after = text_.substr(skip_blanks(text_, name.end));
    return after.starts_with('.') || after.starts_with('[') || after.starts_with('=') ||
           after.starts_with("++") || after.starts_with("--") || after.starts_with("!=") ||
           after.substr(0, 2) == "+=" || after.substr(0, 2) == "-=";
  }

  // "sync.Mutex" on a line of its own: its members are the struct's, too.
  bool has_embedded(const NamedDefinition& type) const {
    const std::size_t body = text_.find('{', type.name_range.end);
    for (std::size_t at = line_end(text_, body) + 1; at < type.range.end;
         at = line_end(text_, at) + 1) {
      const std::string_view line =
          trimmed(text_.substr(at, std::min(line_end(text_, at), type.range.end) - at));
      if (line.empty() || line.starts_with("//") || line.starts_with('}')) continue;
      const std::string_view first = line.substr(0, line.find_first_of(" \t"));
      const std::string_view rest = trimmed(line.substr(first.size()));
      if (rest.empty() || rest.starts_with('`') || rest.starts_with("//")) return true;
    }
    return false;
  }

  const NamedDefinition* type_around(const ByteRange& place) const {
    const NamedDefinition* around = nullptr;
    for (const NamedDefinition& one : definitions_) {
      if (one.kind == DefinitionKind::kType && one.range.contains(place)) around = &one;
    }
    return around;
  }

  // Whether a line may give the object such a member: "self.x = 1", "a, self.x = b", "private x".
  bool is_given(const std::string& name) const {
    for (std::size_t at = find_name(text_, name); at != text_.npos;
         at = find_name(text_, name, at + 1)) {
      const std::size_t begin = line_start(text_, at);
      const std::string_view before = text_.substr(begin, at - begin);
      const std::string_view after =
          text_.substr(at + name.size(), line_end(text_, at) - at - name.size());
      if (before.ends_with('.') &&
          (assigns(after) || has_name(before, "as") || has_name(before, "for")))
        return true;
      const std::string_view word = last_word(trimmed(before));
      if (!word.empty() && has_word("private public protected readonly override static", word))
        return true;
    }
    return false;
  }

  static bool assigns(std::string_view after) {
    for (std::size_t at = after.find('='); at != after.npos; at = after.find('=', at + 2)) {
      const bool compares =
          after.substr(at).starts_with("==") || after.substr(at).starts_with("=>") ||
          (at > 0 && std::string_view("!<>=").find(after[at - 1]) != std::string_view::npos);
      if (!compares) return true;
    }
    return false;
  }

  // Whether the class says all that its objects have.
  bool is_complete(const NamedDefinition& type, const ByteRange& use) const {
    const std::string_view head = behind_name(type);
    const bool has_bases =
        !head.empty() && head != "()" && head != "(object)" && !head.starts_with("implements ");
    const std::string_view before =
        text_.substr(type.range.begin, type.name_range.begin - type.range.begin);
    const bool is_wrapped =
        before.find('@') != before.npos && before.find("@dataclass") == before.npos;
    const std::string_view body = text_of(type.range);
    const bool is_open =
        std::ranges::any_of(split_words(members_.opening_texts),
                            [&](std::string_view word) { return body.find(word) != body.npos; });
    const std::string_view lines = text_.substr(type.range.begin, use.begin - type.range.begin);
    const bool is_other_self = has_name(lines, "function");
    return !has_bases && !is_wrapped && !is_open && !is_other_self && only_type(type.name) == &type;
  }

  const ChangedTrees& trees_;
  std::string_view text_;
  const Language& language_;
  const TypeMembers& members_;
  std::vector<NamedDefinition> definitions_;
};

}  // namespace

std::vector<UndefinedMember> undefined_members(const ChangedTrees& trees) {
  const Language& language = trees.after.language();
  if (*language.known_names == nullptr || breaks_syntax(trees.before, trees.after)) return {};
  return Search(trees).find();
}

}  // namespace redraft
