#include "workspace/edit/edit_rename.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "indexing/syntax/name_uses.h"
#include "languages/languages.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "workspace/documents/cursor_region.h"
#include "workspace/edit/instruction.h"

namespace redraft {
namespace {

using Kind = NamedThing::Kind;
using What = RenameWish::What;

bool is_local(const NamedThing* thing) {
  return thing->kind == Kind::kVariable || thing->kind == Kind::kParameter;
}

bool is_meant(const NamedThing& thing, const RenameWish& wish) {
  if (!wish.owner.empty() && wish.owner != "self" && wish.owner != "this")
    return thing.kind == Kind::kMember && thing.owner == wish.owner;
  if (!wish.owner.empty()) return thing.kind == Kind::kMember;
  switch (wish.what) {
    case What::kAnything:
      return true;
    case What::kParameter:
      return thing.kind == Kind::kParameter;
    case What::kMember:
      return thing.kind == Kind::kMember;
    case What::kVariable:  // people say it of parameters and attributes, too
      return true;
    case What::kFunction:
    case What::kType:
      return thing.kind != Kind::kParameter;
  }
  return true;
}

using Things = std::vector<const NamedThing*>;

template <typename Is>
Things those(const Things& things, const Is& is) {
  Things found;
  std::ranges::copy_if(things, std::back_inserter(found), is);
  return found;
}

bool has_use(const NamedThing& thing, const ByteRange& range, bool declares) {
  return std::ranges::any_of(thing.uses, [&](const NameUse& use) {
    return use.doubt.empty() && range.contains(use.range) && (use.declares || !declares);
  });
}

// Which of `things` an instruction for these lines means. Empty: that is not certain.
Things meant_within(const Things& things, const ByteRange& range, bool is_whole_file) {
  const auto declared = [&](const NamedThing* thing) { return has_use(*thing, range, true); };
  const auto used = [&](const NamedThing* thing) { return has_use(*thing, range, false); };
  const Things inside = those(things, declared);
  if (inside.empty()) {
    const Things about = those(things, used);
    return about.size() == 1 ? about : Things();
  }
  const bool are_alike =
      inside.size() == 1 || std::ranges::none_of(inside, [](const NamedThing* thing) {
        return thing->kind == Kind::kMember;
      });
  if (are_alike) return inside;
  // Within a function its variables come before what it only declares for others.
  return is_whole_file ? Things() : those(inside, is_local);
}

bool is_in_comment(const NameMeanings& meanings, std::size_t cursor) {
  return std::ranges::any_of(meanings.in_comments, [&](const ByteRange& range) {
    return range.begin <= cursor && cursor <= range.end;
  });
}

// Whether the cursor is on the name.
bool is_on(std::string_view text, std::size_t cursor, std::string_view name) {
  std::size_t begin = cursor, end = cursor;
  while (begin > 0 && is_name_byte(text[begin - 1])) --begin;
  while (end < text.size() && is_name_byte(text[end])) ++end;
  return text.substr(begin, end - begin) == name;
}

// The cursor, or the place of the name if exactly that is selected. Nothing: lines are selected, or
// there is no range.
std::optional<std::size_t> cursor_of(const EditRequest& request, const RenameWish& wish) {
  if (request.cursor) return request.cursor;
  if (!request.range) return std::nullopt;
  const ByteRange& range = *request.range;
  const std::string_view selected =
      std::string_view(request.document->text()).substr(range.begin, range.size());
  const bool is_place = request.scope != EditScope::kSelection || range.empty();
  return is_place || selected == wish.from ? std::optional(range.begin) : std::nullopt;
}

bool is_of_file(const EditRequest& request) {
  return !request.range || request.scope == EditScope::kFile || request.scope == EditScope::kPlaces;
}

Things choose(const EditRequest& request, const RenameWish& wish, const NameMeanings& meanings,
              const Things& things) {
  const Document& document = *request.document;
  const ByteRange file{0, document.text().size()};
  if (is_of_file(request)) {
    Things meant = meant_within(things, file, true);
    if (!meant.empty() || !request.cursor) return meant;
  }
  const std::optional<std::size_t> place = cursor_of(request, wish);
  if (!place) return meant_within(things, *request.range, false);
  const std::size_t cursor = *place;
  const auto is_at_cursor = [&](const NamedThing* thing) {
    return std::ranges::any_of(thing->uses, [&](const NameUse& use) {
      return use.doubt.empty() && use.range.begin <= cursor && cursor <= use.range.end;
    });
  };
  const Things at_cursor = those(things, is_at_cursor);
  if (!at_cursor.empty()) return at_cursor.size() == 1 ? at_cursor : those(at_cursor, is_local);
  if (is_on(document.text(), cursor, wish.from) && !is_in_comment(meanings, cursor)) return {};
  for (const Region& region : regions_at(document, {cursor, cursor}, file.size()).regions) {
    Things meant = meant_within(things, region.range, region.kind == RegionKind::kFile);
    if (!meant.empty()) return meant;
  }
  return {};
}

bool is_within(const ByteRange& scope, const NamedThing& other) {
  return std::ranges::any_of(other.uses,
                             [&](const NameUse& use) { return scope.contains(use.range); });
}

// Whether what is renamed would be taken for something else that has the new name already.
bool is_taken(const NamedThing& thing, const NameMeanings& others) {
  const auto clashes = [&](const NamedThing& other) {
    if (thing.kind == Kind::kMember)
      return other.kind == Kind::kMember && other.owner == thing.owner;
    return other.kind != Kind::kMember && is_within(thing.scope, other);
  };
  if (std::ranges::any_of(others.things, clashes)) return true;
  const auto is_inside = [&](const ByteRange& use) { return thing.scope.contains(use); };
  return std::ranges::any_of(thing.kind == Kind::kMember ? others.unknown_members : others.unknown,
                             is_inside);
}

// A word that no sentence has: "max_size", "maxSize", "x1".
bool looks_like_code(std::string_view name) {
  const auto is_odd = [](unsigned char c) { return c == '_' || std::isdigit(c) != 0; };
  const auto is_upper = [](unsigned char c) { return std::isupper(c) != 0; };
  return name.size() > 2 &&
         (std::ranges::any_of(name, is_odd) || std::ranges::any_of(name.substr(1), is_upper));
}

// Whether the word at `range` in a comment is written as one writes about code: `size`, "@param
// size", "size: how many".
bool is_marked(std::string_view text, const ByteRange& range) {
  const std::size_t start = line_start(text, range.begin);
  std::string_view before = text.substr(start, range.begin - start);
  const std::string_view after = text.substr(range.end, 3);
  const char first = after.empty() ? '\n' : after.front();
  if (before.ends_with('`')) return first == '`' || first == '(' || first == '.';
  for (const std::string_view tag : {"param ", "param[in] ", "param[out] ", "attr ", "arg ",
                                     "ivar ", "var ", "} ", "\\p ", "\\a "}) {
    if (before.ends_with(tag) && before.find_first_of("@:\\") != before.npos) return true;
  }
  const bool begins = before.find_first_not_of(" \t*/#-") == before.npos;
  return begins && (first == ':' || after.starts_with(" (") || after.starts_with(" : ") ||
                    after.starts_with(" :\n"));
}

// Where comments are about `thing`, which one of them stands above.
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

// Strings by which a program names what it has: Python's __all__, getattr(o, "size").
void add_texts(std::string_view text, const NamedThing& thing, const NameMeanings& meanings,
               std::vector<NameUse>& uses) {
  if (is_local(&thing)) return;
  for (const ByteRange& range : meanings.as_text) {
    const std::string_view before = text.substr(0, range.begin);
    const std::size_t all = before.rfind("__all__");
    const std::size_t start = line_start(text, range.begin);
    if (all != before.npos && before.find_first_of("])", all) == before.npos) {
      if (thing.kind == Kind::kOfFile) uses.push_back({.range = range});
    } else if (before.substr(start).find("attr(") != std::string_view::npos) {
      uses.push_back({.range = range, .doubt = "it is not certain that the text means it"});
    }
  }
}

// A place to change.
struct Renamed {
  ByteRange range;
  std::string text;   // what stands there now
  std::string doubt;  // NameUse::doubt
};

// Lines that follow each other and are equally certain, with the new names.
struct ChangedLines {
  TextEdit edit;
  std::string doubt;
};

std::vector<ChangedLines> changed_lines(std::string_view text, const std::vector<Renamed>& places) {
  std::vector<ChangedLines> changed;
  for (std::size_t i = 0; i < places.size();) {
    const ByteRange line = whole_lines(text, places[i].range);
    ChangedLines lines{.edit = {line, {}}, .doubt = {}};
    std::size_t at = line.begin;
    for (; i < places.size() && places[i].range.begin < line.end; ++i) {
      lines.edit.new_text += text.substr(at, places[i].range.begin - at);
      lines.edit.new_text += places[i].text;
      at = places[i].range.end;
      if (lines.doubt.empty()) lines.doubt = places[i].doubt;
    }
    lines.edit.new_text += text.substr(at, line.end - at);
    if (!changed.empty() && changed.back().edit.range.end == line.begin &&
        changed.back().doubt == lines.doubt) {
      changed.back().edit.range.end = line.end;
      changed.back().edit.new_text += lines.edit.new_text;
    } else {
      changed.push_back(std::move(lines));
    }
  }
  return changed;
}

std::vector<int> indices(std::size_t count) {
  std::vector<int> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<int>(i);
  return all;
}

// One doubt for each reason.
void add_doubt(const std::string& reason, const std::vector<int>& edits,
               std::vector<Doubt>& doubts) {
  if (reason.empty()) return;
  const auto same = std::ranges::find(doubts, reason, &Doubt::reason);
  if (same == doubts.end()) {
    doubts.push_back({Doubt::Kind::kUncertain, reason, edits});
  } else if (same->edits.back() < edits.front()) {
    same->edits.insert(same->edits.end(), edits.begin(), edits.end());
  }
}

// Whether `wish` renames something of the document to a name that its language reserves.
bool makes_keyword(const Document& document, const RenameWish& wish) {
  const std::string id = document.language();
  if (!wish.says_so || !is_keyword(id, wish.to) || document.syntax() == nullptr) return false;
  const std::optional<NameMeanings> meanings = document.syntax()->meanings_of(wish.from);
  if (!meanings) return false;
  const bool may_be_member = find_language(id)->has_keyword_members;
  return std::ranges::any_of(meanings->things, [&](const NamedThing& thing) {
    return is_meant(thing, wish) && !(may_be_member && thing.kind == Kind::kMember);
  });
}

class Renaming {
 public:
  explicit Renaming(const EditRequest& request)
      : request_(request), tree_(request.document->syntax()) {}

  // False: the model has to answer.
  bool add(const RenameWish& wish) {
    if (tree_ == nullptr) return false;
    const std::optional<NameMeanings> meanings = tree_->meanings_of(wish.from);
    const std::optional<NameMeanings> others = tree_->meanings_of(wish.to);
    if (!meanings || !others) return false;
    Things things;
    for (const NamedThing& thing : meanings->things) {
      if (is_meant(thing, wish) && !thing.uses.empty()) things.push_back(&thing);
    }
    things = choose(request_, wish, *meanings, things);
    has_cursor_ = has_cursor_ || cursor_of(request_, wish);
    return !things.empty() && std::ranges::all_of(things, [&](const NamedThing* thing) {
      return add(wish, *thing, *meanings, *others);
    });
  }

  std::optional<Rename> result() {
    leave_what_is_outside();
    std::ranges::sort(places_, {}, [](const Renamed& place) { return place.range.begin; });
    const auto same = [](const Renamed& a, const Renamed& b) { return a.range == b.range; };
    places_.erase(std::unique(places_.begin(), places_.end(), same), places_.end());
    if (places_.empty()) return std::nullopt;
    const std::vector<ChangedLines> changed = changed_lines(tree_->text(), places_);
    Rename rename;
    for (const ChangedLines& lines : changed) rename.edits.push_back(lines.edit);
    for (int i = 0; i < std::ssize(changed); ++i) add_doubt(changed[i].doubt, {i}, rename.doubts);
    for (const std::string& reason : reasons_)
      add_doubt(reason, indices(rename.edits.size()), rename.doubts);
    return rename;
  }

 private:
  bool add(const RenameWish& wish, const NamedThing& thing, const NameMeanings& meanings,
           const NameMeanings& others) {
    if (is_taken(thing, others)) {
      if (!wish.says_so) return false;
      reasons_.push_back("'" + wish.to + "' is the name of something else there already");
    }
    if (thing.kind == Kind::kImport)
      reasons_.push_back("'" + wish.from + "' comes from another file, where it keeps its name");
    if (thing.overrides) reasons_.push_back("a type in another file has '" + wish.from + "', too");
    if (thing.n_functions > 1)
      reasons_.push_back("there are " + std::to_string(thing.n_functions) + " functions '" +
                         wish.from + "'");
    std::vector<NameUse> uses = thing.uses;
    for (const ByteRange& range : mentions(*tree_, thing, meanings, wish.from))
      uses.push_back({.range = range});
    add_texts(tree_->text(), thing, meanings, uses);
    for (const NameUse& use : uses)
      places_.push_back({use.range, written_use(use, wish.from, wish.to), use.doubt});
    return true;
  }

  // Where lines are selected, no others change.
  void leave_what_is_outside() {
    if (is_of_file(request_) || has_cursor_) return;
    const auto region = EditRegion::make(request_.document, EditScope::kSelection, request_.range);
    const std::size_t n_left = std::erase_if(
        places_, [&](const Renamed& place) { return !region->range().contains(place.range); });
    if (n_left == 0) return;
    const std::string count = n_left == 1 ? "once" : std::to_string(n_left) + " times";
    reasons_.push_back("what is renamed stands " + count + " more outside the selected lines");
  }

  const EditRequest& request_;
  const SyntaxTree* tree_;
  std::vector<Renamed> places_;
  bool has_cursor_ = false;           // it goes by that, not by lines
  std::vector<std::string> reasons_;  // why all of it is doubtful
};

}  // namespace

std::string written_use(const NameUse& use, const std::string& from, const std::string& to) {
  switch (use.form) {
    case NameUse::Form::kPlain:
      return to;
    case NameUse::Form::kShorthand:
      return from + ": " + to;
    case NameUse::Form::kField:
      return to + ": " + from;
    case NameUse::Form::kImported:
      return from + " as " + to;
    case NameUse::Form::kExported:
      return to + " as " + from;
  }
  return to;
}

std::optional<Rename> find_rename(const EditRequest& request) {
  const std::vector<RenameWish> wishes = renames_in(request.instruction);
  if (wishes.empty() || !request.places.empty()) return std::nullopt;
  Renaming renaming(request);
  const bool all =
      std::ranges::all_of(wishes, [&](const RenameWish& wish) { return renaming.add(wish); });
  return all ? renaming.result() : std::nullopt;
}

Result<void> check_new_names(const EditRequest& request) {
  for (const RenameWish& wish : renames_in(request.instruction)) {
    if (makes_keyword(*request.document, wish))
      return Error("cannot rename '" + wish.from + "' to '" + wish.to + "': that is a keyword of " +
                   request.document->language() + "; choose another name");
  }
  return {};
}

}  // namespace redraft
