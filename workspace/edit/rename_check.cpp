#include "workspace/edit/rename_check.h"

#include <algorithm>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "languages/languages.h"
#include "text/strings/lower_case.h"
#include "text/strings/names.h"
#include "text/strings/nearest_word.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"
#include "workspace/edit/rename_texts.h"
#include "workspace/edit/rename_things.h"

namespace redraft {
namespace {

// A larger text has too many names to compare with.
constexpr std::size_t kMaxCandidates = 20000;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// Without what styles of names differ in: "readFile" and "READ_FILE" are one.
std::string without_style(std::string_view name) {
  std::string plain = lower_case(name);
  std::erase(plain, '_');
  return plain;
}

// find_name(), where "$" is not a part of names: PHP's "$count" has the name "count".
bool has_word_in(std::string_view text, std::string_view name) {
  const auto is_part = [&](std::size_t at) { return is_name_byte(text[at]) && text[at] != '$'; };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_part(at - 1)) && (end == text.size() || !is_part(end))) return true;
  }
  return false;
}

// The names of the document, without reserved words. The tree knows which words are names.
std::vector<std::string> names_of(const Document& document, std::string_view text) {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    const bool is_known = std::ranges::find(names, name) != names.end();
    if (names.size() < kMaxCandidates && !is_known && !is_keyword(document.language(), name))
      names.emplace_back(name);
  };
  const SyntaxTree* const tree = document.syntax();
  const std::vector<ByteRange> places =
      tree == nullptr ? std::vector<ByteRange>() : tree->identifiers({0, text.size()});
  for (const ByteRange& range : places) add(text.substr(range.begin, range.size()));
  if (places.empty()) for_each_name(text, add);
  return names;
}

// What `name` was probably meant to be; empty: nothing is like it.
std::string likely_name(const Document& document, std::string_view name) {
  const std::vector<std::string> names = names_of(document, document.text());
  const auto same = std::ranges::find(names, without_style(name), without_style);
  return same != names.end() ? *same : nearest_word(name, names);
}

// The text that has to have the old name, and what it is for people.
struct Searched {
  std::string_view text, what;
};

Searched searched_in(const EditRequest& request) {
  const std::string_view text = request.document->text();
  const bool is_selection = request.range && !request.range->empty() && !request.cursor &&
                            request.scope == EditScope::kSelection;
  if (!is_selection) return {text, "this file"};
  const ByteRange lines = whole_lines(text, *request.range);
  return {text.substr(lines.begin, lines.size()), "the selected lines"};
}

Result<void> check_old_name(const EditRequest& request, const RenameWish& wish) {
  // "replace tabs with spaces" names nothing.
  const bool is_name = wish.says_so || looks_like_code(wish.from);
  const Searched searched = searched_in(request);
  if (!is_name || wish.may_describe || has_word_in(searched.text, wish.from)) return {};
  const bool is_elsewhere = has_word_in(request.document->text(), wish.from);
  const std::string likely = is_elsewhere ? "" : likely_name(*request.document, wish.from);
  return Error("there is no '" + wish.from + "' in " + std::string(searched.what) +
               (likely.empty() ? "" : "; did you mean '" + likely + "'?"));
}

// Whether something of the document that `wish` may mean would get the new name where the language
// reserves it.
bool renames_to_keyword(const Document& document, const RenameWish& wish) {
  const SyntaxTree& tree = *document.syntax();
  const Language& language = tree.language();
  if (const auto meanings = tree.meanings_of(wish.from)) {
    return std::ranges::any_of(meanings->things, [&](const NamedThing& thing) {
      const bool is_member = thing.kind == NamedThing::Kind::kMember;
      return is_meant(thing, wish) && !(is_member && *language.has_keyword_members);
    });
  }
  const std::string_view text = tree.text();
  const std::vector<ByteRange> names = tree.identifiers({0, text.size()});
  return std::ranges::any_of(names, [&](const ByteRange& range) {
    if (text.substr(range.begin, range.size()) != wish.from) return false;
    // PHP: any word may follow "$" or an arrow.
    const std::string_view before = text.substr(0, range.begin);
    return !*language.has_keyword_members ||
           !(before.ends_with('$') || before.ends_with("->") || before.ends_with("::"));
  });
}

bool is_of_document(const Document& document, const RenameWish& wish) {
  const auto meanings = document.syntax()->meanings_of(wish.from);
  if (!meanings) return true;
  return std::ranges::any_of(meanings->things,
                             [&](const NamedThing& thing) { return is_meant(thing, wish); });
}

Result<void> check_new_name(const Document& document, const RenameWish& wish) {
  const std::string id = document.language();
  const bool is_reserved = is_keyword(id, wish.to);
  const bool is_name = is_name_in(id, wish.to);
  if (!wish.says_so || (is_name && !is_reserved)) return {};
  const Language* const language = find_language(id);
  if (language == nullptr || !language->is_code() || document.syntax() == nullptr) return {};
  const std::string failed = "cannot rename '" + wish.from + "' to '" + wish.to + "': that is ";
  if (is_reserved && renames_to_keyword(document, wish))
    return Error(failed + "a keyword of " + id + "; choose another name");
  if (!is_name && is_of_document(document, wish))
    return Error(failed + "not a name in " + id + "; choose another name");
  return {};
}

}  // namespace

bool is_name_in(std::string_view id, std::string_view name) {
  const Language* const language = find_language(id);
  const ScopeTypes* const scopes = language == nullptr ? nullptr : *language->scopes;
  if (name.empty() || is_digit(name.front())) return false;
  if (scopes == nullptr) return true;  // how names are written is not known
  const std::string_view mark = scopes->name_mark;
  if (!mark.empty() && name.starts_with(mark)) {
    name.remove_prefix(mark.size());
    if (has_word(scopes->never_marked, name)) return false;
  }
  return !name.empty() && !is_digit(name.front()) && std::ranges::all_of(name, is_name_byte);
}

Result<void> check_names(const EditRequest& request) {
  for (const RenameWish& wish : renames_in(request.instruction)) {
    if (Result<void> checked = check_old_name(request, wish); !checked) return checked;
    if (Result<void> checked = check_new_name(*request.document, wish); !checked) return checked;
  }
  return {};
}

}  // namespace redraft
