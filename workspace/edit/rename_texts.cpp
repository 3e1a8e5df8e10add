#include "workspace/edit/rename_texts.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"

namespace redraft {
namespace {

using Kind = NamedThing::Kind;

// Whether the word at `range` in a comment is written as one writes about code: `size`, "@param
// size", "size: how many".
bool is_marked(std::string_view text, const ByteRange& range) {
  const std::size_t start = line_start(text, range.begin);
  std::string_view before = text.substr(start, range.begin - start);
  const std::string_view after = text.substr(range.end, 3);
  const char first = after.empty() ? '\n' : after.front();
  if (before.find("# type: ") != before.npos) return true;  // Python's, of old
  if (before.ends_with('`')) return first == '`' || first == '(' || first == '.';
  for (const std::string_view tag : {"param ", "param[in] ", "param[out] ", "attr ", "arg ",
                                     "ivar ", "var ", "} ", "\\p ", "\\a "}) {
    if (before.ends_with(tag) && before.find_first_of("@:\\") != before.npos) return true;
  }
  const bool begins = before.find_first_not_of(" \t*/#-") == before.npos;
  return begins && (first == ':' || after.starts_with(" (") || after.starts_with(" : ") ||
                    after.starts_with(" :\n"));
}

// Whether one of the names in `text` is one of `words`.
bool has_any(std::string_view text, std::string_view words) {
  bool is_any = false;
  for_each_name(text, [&](std::string_view name) { is_any = is_any || has_word(words, name); });
  return is_any;
}

// Whether `at` is in a list behind one of `words`: "__all__ = [".
bool is_in_list(std::string_view text, std::size_t at, std::string_view words) {
  const std::string_view before = text.substr(0, at);
  return std::ranges::any_of(split_words(words), [&](std::string_view word) {
    const std::size_t begin = before.rfind(word);
    return begin != before.npos && before.find_first_of("])", begin) == before.npos &&
           before.find_first_of("[(", begin) != before.npos;
  });
}

class TextReader {
 public:
  TextReader(const Document& document, const NamedThing& thing, const NameMeanings& meanings)
      : types_(**document.syntax()->language().scopes),
        text_(document.text()),
        thing_(thing),
        meanings_(meanings) {
    std::string_view path = document.uri();
    path = path.substr(0, path.rfind('.'));
    if (path.ends_with("/__init__")) path.remove_suffix(9);
    module_ = path.substr(path.rfind('/') + 1);
  }

  // The doubt, "" if the text certainly means the thing; nothing: it does not.
  std::optional<std::string> meaning_of(const NameInText& named) const {
    const std::size_t at = named.range.begin;
    const std::string_view line = text_.substr(line_start(text_, at), at - line_start(text_, at));
    if (named.form == NameInText::Form::kPath) return meaning_of_path(named.range, line);
    const std::string unsure = doubt_about(named.range);
    if (is_in_list(text_, at, types_.export_lists))
      return thing_.kind == Kind::kMember ? std::nullopt : std::optional<std::string>("");
    if (thing_.kind == Kind::kMember && is_in_list(text_, at, types_.member_lists))
      return n_members() == 1 ? "" : unsure;
    if (has_any(line, types_.name_finders)) return unsure;
    if (thing_.kind != Kind::kMember) return std::nullopt;
    if (thing_.is_key || named.form == NameInText::Form::kType) return unsure;
    if (named.form != NameInText::Form::kIndex) return std::nullopt;
    // An enumeration's "Color['RED']"; others may be keys of dictionaries.
    const std::size_t bracket = line.rfind('[');
    const std::string_view receiver = line.substr(0, std::min(bracket, line.size()));
    const bool is_owner = !thing_.owner.empty() && receiver.ends_with(thing_.owner);
    return is_owner || types_.has_member_texts ? std::optional(unsure) : std::nullopt;
  }

 private:
  // `range`: of the name in a text.
  std::string doubt_about(const ByteRange& range) const {
    const auto is_part = [&](std::size_t at) {
      return is_name_byte(text_[at]) || text_[at] == '.' || text_[at] == ':';
    };
    std::size_t begin = range.begin, end = range.end;
    while (begin > 0 && is_part(begin - 1)) --begin;
    while (end < text_.size() && is_part(end)) ++end;
    return "it is not certain that the text '" + std::string(text_.substr(begin, end - begin)) +
           "' means it";
  }

  // "b.name" of "a.b.name" with the part before it, "b".
  std::optional<std::string> meaning_of_path(const ByteRange& range, std::string_view line) const {
    std::size_t end = range.begin - 1;
    std::size_t begin = end;
    while (begin > 0 && is_name_byte(text_[begin - 1])) --begin;
    const std::string_view before = text_.substr(begin, end - begin);
    const bool is_ours =
        before == module_ || before == thing_.owner || has_any(line, types_.path_finders);
    const bool may_be_ours = types_.has_path_texts && thing_.kind == Kind::kOfFile;
    return is_ours || may_be_ours ? std::optional(doubt_about(range)) : std::nullopt;
  }

  std::ptrdiff_t n_members() const {
    return std::ranges::count(meanings_.things, Kind::kMember, &NamedThing::kind);
  }

  const ScopeTypes& types_;
  std::string_view text_;
  const NamedThing& thing_;
  const NameMeanings& meanings_;
  std::string module_;
};

}  // namespace

bool looks_like_code(std::string_view name) {
  const auto is_odd = [](unsigned char c) { return c == '_' || std::isdigit(c) != 0; };
  const auto is_upper = [](unsigned char c) { return std::isupper(c) != 0; };
  return name.size() > 2 &&
         (std::ranges::any_of(name, is_odd) || std::ranges::any_of(name.substr(1), is_upper));
}

std::vector<ByteRange> mentions(const SyntaxTree& tree, const NamedThing& thing,
                                const NameMeanings& meanings, std::string_view name) {
  ByteRange about = thing.scope;
  if (thing.kind == Kind::kParameter) {
    const auto function = tree.enclosing_definition(thing.uses.front().range.begin);
    if (function && function->range.contains(thing.uses.front().range)) about = function->range;
  }
  std::vector<ByteRange> found;
  for (const ByteRange& range : meanings.in_comments) {
    if (!about.contains(range)) continue;
    const bool is_anothers = std::ranges::any_of(meanings.things, [&](const NamedThing& other) {
      return &other != &thing && other.scope.size() < about.size() && other.scope.contains(range);
    });
    if (!is_anothers && (looks_like_code(name) || is_marked(tree.text(), range)))
      found.push_back(range);
  }
  return found;
}

std::vector<NameUse> text_uses(const Document& document, const NamedThing& thing,
                               const NameMeanings& meanings) {
  std::vector<NameUse> uses;
  if (thing.kind == Kind::kVariable || thing.kind == Kind::kParameter) return uses;
  const TextReader reader(document, thing, meanings);
  for (const NameInText& named : meanings.as_text) {
    if (std::optional<std::string> doubt = reader.meaning_of(named))
      uses.push_back({.range = named.range, .doubt = *std::move(doubt)});
  }
  return uses;
}

}  // namespace redraft
