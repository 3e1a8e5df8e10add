#include "workspace/next_edit/name_changes.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "indexing/syntax/syntax_tree.h"
#include "languages/languages.h"
#include "text/strings/lines.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "workspace/documents/diff.h"
#include "workspace/edit/edit_rename.h"
#include "workspace/next_edit/call_owner.h"
#include "workspace/next_edit/change_words.h"
#include "workspace/next_edit/line_rewrite.h"

namespace redraft {
namespace {

using Kind = NamedThing::Kind;

// The number of changed lines that are searched for names.
constexpr std::size_t kMaxPairs = 64;

bool is_local(const NamedThing& thing) {
  return thing.kind == Kind::kVariable || thing.kind == Kind::kParameter;
}

bool is_new_name(std::string_view word, const std::string& language) {
  return is_word(word) && std::isdigit(static_cast<unsigned char>(word.front())) == 0 &&
         !is_keyword(language, word);
}

// Whether the place is behind a dot, or what languages write instead.
bool is_access(std::string_view text, std::size_t offset) {
  while (offset > 0 && is_space(text[offset - 1])) --offset;
  const std::string_view before = text.substr(0, offset);
  return before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
}

std::ptrdiff_t count_name(std::string_view text, std::string_view name) {
  std::ptrdiff_t count = 0;
  for (std::size_t at = find_name(text, name); at != text.npos; at = find_name(text, name, at + 1))
    ++count;
  return count;
}

// The first use that declares the thing. A member that methods assign to is declared by the first.
const NameUse* declaration_of(const NamedThing& thing) {
  const auto declares = std::ranges::find_if(thing.uses, &NameUse::declares);
  if (declares != thing.uses.end()) return &*declares;
  return thing.kind == Kind::kMember && !thing.uses.empty() ? &thing.uses.front() : nullptr;
}

bool has_use_in(const NamedThing& thing, const ByteRange& scope) {
  return std::ranges::any_of(thing.uses,
                             [&](const NameUse& use) { return scope.contains(use.range); });
}

bool is_family_of_includes(const Document& document) {
  const Language* const language = find_language(document.language());
  return language != nullptr && *language->modules == ModuleSystem::kInclude;
}

}  // namespace

NameChanges::NameChanges(const std::vector<RecentChange>& recent) {
  for (auto change = recent.rbegin(); change != recent.rend(); ++change) {
    const auto is_same = [&](const RecentChange& other) {
      return other.document == change->document;
    };
    if (std::any_of(recent.rbegin(), change, is_same)) continue;
    std::vector<RecentChange> here;
    std::ranges::copy_if(recent, std::back_inserter(here), is_same);
    add(here);
  }
}

// Single names that were replaced by single names.
std::vector<NameChanges::Place> NameChanges::replaced_names(const RecentChange& change) {
  std::vector<Place> places;
  const Document& document = *change.document;
  const std::string language = document.language();
  for (const LinePair& pair : line_pairs({change}, kMaxPairs)) {
    const std::size_t begin = document.lines().start(pair.line);
    const std::size_t line = document.text().find(pair.after, begin);
    if (pair.after.empty() || line > document.lines().content_end(pair.line)) continue;
    const std::vector<std::string_view> before = words_of(pair.before),
                                        after = words_of(pair.after);
    int shift = 0;
    for (const LineChange& words : diff_lines(before, after)) {
      const int at = words.old_begin + shift;
      const int n_old = words.old_end - words.old_begin;
      shift += static_cast<int>(words.new_lines.size()) - n_old;
      if (n_old != 1 || words.new_lines.size() != 1) continue;
      const std::string_view from = before[static_cast<std::size_t>(words.old_begin)];
      const std::string_view to = after[static_cast<std::size_t>(at)];
      if (!is_new_name(from, language) || !is_new_name(to, language)) continue;
      const auto offset = static_cast<std::size_t>(to.data() - pair.after.data());
      places.push_back({line + offset, std::string(from), std::string(to)});
    }
  }
  return places;
}

void NameChanges::add(const std::vector<RecentChange>& recent) {
  const std::shared_ptr<const Document>& document = recent.front().document;
  std::map<std::pair<std::string, std::string>, std::set<std::size_t>> by_name;
  for (const RecentChange& each : recent) {
    for (const Place& place : replaced_names(each))
      by_name[{place.from, place.to}].insert(place.offset);
  }
  for (const auto& [names, offsets] : by_name) {
    if (!has(names.first, names.second)) replaced_.push_back(names);
    const SyntaxTree* const tree = tree_to_compare(*document);
    if (tree == nullptr) continue;
    Change change{.document = document, .from = names.first, .to = names.second, .text = {}};
    std::string text;
    std::size_t end = 0;
    for (const std::size_t offset : offsets) {
      text.append(document->text(), end, offset - end);
      change.places.push_back(text.size());
      text += change.from;
      end = offset + change.to.size();
    }
    text.append(document->text(), end);
    change.text = std::make_shared<const std::string>(std::move(text));
    const std::optional<SyntaxTree> then = tree->edited(change.text);
    std::optional<NameMeanings> meanings =
        then ? then->meanings_of(change.from) : std::optional<NameMeanings>();
    if (!meanings) continue;
    change.meanings = std::move(*meanings);
    resolve(*then, change);
    // What the user has declared anew under the old name is another thing.
    std::erase_if(change.renamed, [&](std::size_t index) {
      const auto is_new = [&](const NameUse& use) {
        const int line = document->lines().line_of(change.now(use.range.begin));
        return use.declares &&
               std::ranges::find(change.places, use.range.begin) == change.places.end() &&
               std::ranges::any_of(recent, [&](const RecentChange& each) {
                 return each.line <= line && line < each.end_line();
               });
      };
      return std::ranges::any_of(change.meanings.things[index].uses, is_new);
    });
    changes_.push_back(std::move(change));
  }
}

void NameChanges::resolve(const SyntaxTree& tree, Change& change) {
  for (const std::size_t place : change.places) {
    Meaning meaning = meaning_at(change.meanings, place);
    for (const std::size_t index : meaning.things) {
      const NamedThing& thing = change.meanings.things[index];
      const NameUse* const declaration = declaration_of(thing);
      if (meaning.is_certain && declaration != nullptr && declaration->range.begin == place &&
          thing.n_functions <= 1)
        change.renamed.insert(index);
    }
    change.meant.push_back(std::move(meaning));
  }
  const std::optional<NameMeanings> others = tree.meanings_of(change.to);
  change.is_taken = !others || std::ranges::any_of(change.renamed, [&](std::size_t index) {
    const NamedThing& thing = change.meanings.things[index];
    return std::ranges::any_of(others->things, [&](const NamedThing& other) {
      const bool are_members = thing.kind == Kind::kMember && other.kind == Kind::kMember;
      if ((thing.kind == Kind::kMember || other.kind == Kind::kMember) && !are_members)
        return false;
      if (are_members) return thing.owner == other.owner;
      return has_use_in(other, thing.scope) || has_use_in(thing, other.scope);
    });
  });
}

NameChanges::Meaning NameChanges::meaning_at(const NameMeanings& meanings, std::size_t offset) {
  Meaning meaning;
  const auto is_there = [&](const ByteRange& range) { return range.begin == offset; };
  for (std::size_t i = 0; i < meanings.things.size(); ++i) {
    for (const NameUse& use : meanings.things[i].uses) {
      if (!is_there(use.range)) continue;
      meaning.sense = Meaning::Sense::kThing;
      meaning.things.push_back(i);
      meaning.is_certain = use.doubt.empty();
      break;
    }
  }
  if (!meaning.things.empty()) return meaning;
  if (std::ranges::any_of(meanings.unknown, is_there)) meaning.sense = Meaning::Sense::kUnknown;
  if (std::ranges::any_of(meanings.in_comments, is_there)) meaning.sense = Meaning::Sense::kComment;
  return meaning;
}

bool NameChanges::has(std::string_view from, std::string_view to) const {
  return std::ranges::any_of(
      replaced_, [&](const auto& names) { return names.first == from && names.second == to; });
}

std::size_t NameChanges::Change::then(std::size_t now) const {
  std::size_t n_before = 0;
  for (const std::size_t place : places) {
    if (this->now(place) < now) ++n_before;
  }
  return now + n_before * from.size() - n_before * to.size();
}

std::size_t NameChanges::Change::now(std::size_t then) const {
  const auto n_before =
      static_cast<std::size_t>(std::ranges::lower_bound(places, then) - places.begin());
  return then + n_before * to.size() - n_before * from.size();
}

// Whether the name at `offset` of the old text may have to follow.
bool NameChanges::Change::may_follow(std::size_t offset) const {
  const Meaning there = meaning_at(meanings, offset);
  const auto is_meant = [&](std::size_t index) {
    return std::ranges::any_of(meant, [&](const Meaning& each) {
      return std::ranges::find(each.things, index) != each.things.end();
    });
  };
  switch (there.sense) {
    case Meaning::Sense::kThing:
      // A key of an object of which nothing is known is no use of a type's member.
      return std::ranges::any_of(there.things, is_meant) &&
             (there.is_certain || is_access(*text, offset));
    case Meaning::Sense::kComment:
      return std::ranges::any_of(meant, [&](const Meaning& each) {
        return each.things.empty() || std::ranges::any_of(each.things, [&](std::size_t index) {
                 const NamedThing& thing = meanings.things[index];
                 return !is_local(thing) || thing.scope.contains(offset);
               });
      });
    case Meaning::Sense::kUnknown:
    case Meaning::Sense::kOther:
      return std::ranges::any_of(meant,
                                 [&](const Meaning& each) { return each.sense == there.sense; });
  }
  return true;
}

// Whether other documents may have what the user changed.
bool NameChanges::Change::is_outer() const {
  return std::ranges::any_of(meant, [&](const Meaning& each) {
    return std::ranges::none_of(
        each.things, [&](std::size_t index) { return is_local(meanings.things[index]); });
  });
}

// Whether the name there may be that of something that another document declares.
bool NameChanges::is_known_outside(const Document& document, const NameMeanings& meanings,
                                   std::size_t offset) {
  const Meaning there = meaning_at(meanings, offset);
  if (there.sense != Meaning::Sense::kThing) return true;
  return std::ranges::any_of(there.things, [&](std::size_t index) {
    const NamedThing& thing = meanings.things[index];
    if (is_local(thing)) return false;
    // A C function is declared in several files. Elsewhere, that is another thing.
    return thing.kind != Kind::kOfFile || is_family_of_includes(document);
  });
}

// A user who renamed two things alike may be about to rename others.
bool NameChanges::is_made_twice(const std::string& from, const std::string& to) const {
  std::size_t n_renamed = 0;
  for (const Change& change : changes_) {
    if (change.from == from && change.to == to) n_renamed += change.renamed.size();
  }
  return n_renamed > 1;
}

bool NameChanges::may_follow(const std::string& from, const std::string& to,
                             const Document& document, std::size_t offset) const {
  if (is_made_twice(from, to)) return true;
  bool is_known = false;
  for (const Change& change : changes_) {
    if (change.from != from || change.to != to) continue;
    is_known = true;
    if (change.document->uri() == document.uri()) {
      if (change.may_follow(change.then(offset))) return true;
      continue;
    }
    if (!change.is_outer()) continue;
    if (language_family(*change.document) != language_family(document)) return true;
    auto [found, is_new] = elsewhere_.try_emplace({document.uri(), from});
    const SyntaxTree* const tree = is_new ? tree_to_compare(document) : nullptr;
    if (tree != nullptr) found->second = tree->meanings_of(from);
    if (!found->second || is_known_outside(document, *found->second, offset)) return true;
  }
  return !is_known;
}

bool NameChanges::is_about_others(const Document& document, std::size_t begin,
                                  std::string_view lines) const {
  bool is_any = false;
  for (const Change& change : changes_) {
    for (std::size_t at = find_name(lines, change.from); at != lines.npos;
         at = find_name(lines, change.from, at + 1)) {
      is_any = true;
      if (may_follow(change.from, change.to, document, begin + at)) return false;
    }
  }
  return is_any;
}

bool NameChanges::changes_others(const Document& document, const TextEdit& edit) const {
  const std::string_view old_text =
      std::string_view(document.text()).substr(edit.range.begin, edit.range.size());
  const std::vector<std::string_view> before = lines_with_newlines(old_text),
                                      after = lines_with_newlines(edit.new_text);
  for (const LineChange& hunk : diff_lines(before, after)) {
    std::string now;
    for (const std::string& line : hunk.new_lines) now += line;
    const auto first = before.begin() + hunk.old_begin, last = before.begin() + hunk.old_end;
    if (first == last) continue;
    const std::string_view then(first->data(), (last - 1)->data() + (last - 1)->size());
    const std::size_t begin =
        edit.range.begin + static_cast<std::size_t>(then.data() - old_text.data());
    for (const Change& change : changes_) {
      const std::string &from = change.from, &to = change.to;
      if (count_name(now, from) >= count_name(then, from) ||
          count_name(now, to) <= count_name(then, to))
        continue;
      for (std::size_t at = find_name(then, from); at != then.npos;
           at = find_name(then, from, at + 1)) {
        if (!may_follow(from, to, document, begin + at)) return true;
      }
    }
  }
  return false;
}

void NameChanges::add_uses_left(const Change& change, const IsUnwanted& is_unwanted,
                                TreeEdits& edits) {
  std::map<std::size_t, const NameUse*> left;  // by the place in the current text
  for (const std::size_t index : change.renamed) {
    for (const NameUse& use : change.meanings.things[index].uses) {
      const bool is_done = std::ranges::find(change.places, use.range.begin) != change.places.end();
      if (!is_done && use.doubt.empty()) left[change.now(use.range.begin)] = &use;
    }
  }
  const std::string& text = change.document->text();
  for (auto at = left.begin(); at != left.end();) {
    TextEdit edit{{line_start(text, at->first), line_start(text, at->first)}, {}};
    std::size_t end = edit.range.begin;
    do {  // lines that follow each other are one edit
      edit.new_text += text.substr(end, at->first - end);
      edit.new_text += written_use(*at->second, change.from, change.to);
      end = at->first + change.from.size();
      edit.range.end = whole_lines(text, {at->first, end}).end;
      ++at;
    } while (at != left.end() && line_start(text, at->first) <= edit.range.end);
    edit.new_text += text.substr(end, edit.range.end - end);
    if (!is_unwanted || !is_unwanted(*change.document, edit))
      edits.edits.push_back(std::move(edit));
  }
}

TreeEdits NameChanges::uses_left(const IsUnwanted& is_unwanted) const {
  for (const Change& change : changes_) {
    if (change.is_taken || change.renamed.empty()) continue;
    TreeEdits edits{.document = change.document, .edits = {}};
    add_uses_left(change, is_unwanted, edits);
    if (!edits.edits.empty()) return edits;
  }
  return {};
}

}  // namespace redraft
