#include "workspace/edit/edit_rename.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "indexing/syntax/name_uses.h"
#include "languages/languages.h"
#include "text/strings/text_lines.h"
#include "text/strings/word_list.h"
#include "workspace/edit/instruction.h"
#include "workspace/edit/rename_capture.h"
#include "workspace/edit/rename_check.h"
#include "workspace/edit/rename_importers.h"
#include "workspace/edit/rename_texts.h"
#include "workspace/edit/rename_things.h"

namespace redraft {
namespace {

bool is_within(const ByteRange& scope, const NamedThing& other) {
  return std::ranges::any_of(other.uses,
                             [&](const NameUse& use) { return scope.contains(use.range); });
}

// Whether what is renamed would be taken for something else that has the new name already.
bool is_taken(const NamedThing& thing, const NameMeanings& others) {
  const auto clashes = [&](const NamedThing& other) {
    if (thing.kind == NamedThing::Kind::kMember)
      return other.kind == NamedThing::Kind::kMember && other.owner == thing.owner;
    return other.kind != NamedThing::Kind::kMember && is_within(thing.scope, other);
  };
  if (std::ranges::any_of(others.things, clashes)) return true;
  const auto is_inside = [&](const ByteRange& use) { return thing.scope.contains(use); };
  return std::ranges::any_of(
      thing.kind == NamedThing::Kind::kMember ? others.unknown_members : others.unknown, is_inside);
}

// Lines that follow each other and are equally certain, with the new names. In a line with certain
// and uncertain uses it is the uses alone, so that the certain ones can be taken without the
// others.
struct ChangedLines {
  TextEdit edit;
  std::string doubt;
};

bool are_equally_certain(std::span<const Renamed> places) {
  return std::ranges::all_of(
      places, [&](const Renamed& place) { return place.doubt == places.front().doubt; });
}

std::vector<ChangedLines> changed_lines(std::string_view text, const std::vector<Renamed>& places) {
  std::vector<ChangedLines> changed;
  for (std::size_t i = 0; i < places.size();) {
    const ByteRange line = whole_lines(text, places[i].range);
    std::size_t next = i;
    while (next < places.size() && places[next].range.begin < line.end) ++next;
    if (!are_equally_certain(std::span(places).subspan(i, next - i))) {
      for (; i < next; ++i) changed.push_back({{places[i].range, places[i].text}, places[i].doubt});
      continue;
    }
    ChangedLines lines{.edit = {line, {}}, .doubt = places[i].doubt};
    std::size_t at = line.begin;
    for (; i < next; ++i) {
      lines.edit.new_text += text.substr(at, places[i].range.begin - at);
      lines.edit.new_text += places[i].text;
      at = places[i].range.end;
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

class Renaming {
 public:
  explicit Renaming(const EditRequest& request)
      : request_(request), tree_(request.document->syntax()) {}

  // False: the model has to answer.
  bool add(const RenameWish& wish) {
    if (tree_ == nullptr || !is_name_in(request_.document->language(), wish.to)) return false;
    const std::optional<NameMeanings> meanings = tree_->meanings_of(wish.from);
    const std::optional<NameMeanings> others = tree_->meanings_of(wish.to);
    if (!meanings || !others) return false;
    const Things things = chosen_things(request_, wish, *meanings);
    has_cursor_ = has_cursor_ || cursor_of(request_, wish);
    const std::size_t n_before = places_.size();
    for (const NamedThing* thing : things) add(wish, *thing, *meanings);
    return !things.empty() && check_meanings(wish, things, *others, n_before);
  }

  std::optional<Rename> result() {
    leave_what_is_outside();
    in_order(places_);
    // Other things of the same name are as certain as before. A place that names none, such as a
    // text in `__all__`, may name the doubtful one.
    for (Renamed& place : places_) {
      const auto doubt = place.thing ? doubts_.find(*place.thing) : doubts_.begin();
      if (place.doubt.empty() && doubt != doubts_.end()) place.doubt = doubt->second;
    }
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
  // Ascending, one for each place: the certain one.
  static void in_order(std::vector<Renamed>& places) {
    std::ranges::stable_sort(places, {}, [](const Renamed& place) {
      return std::pair(place.range.begin, !place.doubt.empty());
    });
    const auto same = [](const Renamed& a, const Renamed& b) { return a.range == b.range; };
    places.erase(std::unique(places.begin(), places.end(), same), places.end());
  }

  // Whether the new name may be given to `things`, whose places are those from `first` on.
  bool check_meanings(const RenameWish& wish, const Things& things, const NameMeanings& others,
                      std::size_t first) {
    const auto is_in_scope = [&](const NamedThing* thing) { return is_taken(*thing, others); };
    const bool is_any = std::ranges::any_of(things, is_in_scope);
    if (!wish.says_so) return !is_any;  // "replace a with b" means that only if there is no b
    std::vector<Renamed> places(places_.begin() + static_cast<std::ptrdiff_t>(first),
                                places_.end());
    in_order(places);
    const bool is_taken_there = (is_any && (*tree_->language().scopes)->has_unique_locals &&
                                 std::ranges::all_of(things, is_local)) ||
                                mixes_meanings(*tree_, places, others, wish.to);
    if (is_taken_there) {
      reasons_.push_back("'" + wish.to + "' is the name of something else there already");
    } else if (hides_predefined(wish, things)) {
      reasons_.push_back("'" + wish.to + "' is a name that " + request_.document->language() +
                         " itself has: other code may mean that");
    }
    return true;
  }

  // Whether something that is known in the whole file gets a name that the language has itself.
  bool hides_predefined(const RenameWish& wish, const Things& things) const {
    const auto is_of_file = [](const NamedThing* thing) {
      return thing->kind == NamedThing::Kind::kOfFile;
    };
    return has_word((*tree_->language().scopes)->predefined, wish.to) &&
           std::ranges::any_of(things, is_of_file);
  }

  void add(const RenameWish& wish, const NamedThing& thing, const NameMeanings& meanings) {
    const std::size_t number = n_things_++;
    if (thing.kind == NamedThing::Kind::kImport)
      doubts_[number] = "'" + wish.from + "' comes from another file, where it keeps its name";
    doubt_other_files(wish.from, thing);
    if (thing.overrides) reasons_.push_back("a type in another file has '" + wish.from + "', too");
    if (thing.n_functions > 1)
      reasons_.push_back("there are " + std::to_string(thing.n_functions) + " functions '" +
                         wish.from + "'");
    for (const NameUse& use : thing.uses) add_place(use, wish, number);
    for (const ByteRange& range : mentions(*tree_, thing, meanings, wish.from))
      add_place({.range = range}, wish, {});
    for (const NameUse& use : text_uses(*request_.document, thing, meanings))
      add_place(use, wish, {});
  }

  void doubt_other_files(const std::string& name, const NamedThing& thing) {
    if (thing.is_shared) reasons_.push_back("'" + name + "' is declared for other files, too");
    std::vector<std::string> files;
    if (is_known_elsewhere(thing)) files = importers_of(request_, name);
    if (!files.empty()) {
      reasons_.push_back("'" + name + "' is used in " + listed_files(files) + ", too");
    } else if (thing.kind == NamedThing::Kind::kMember && !thing.owner.empty()) {
      files = users_of_member(request_, thing.owner, name);
      if (!files.empty())
        reasons_.push_back("'" + name + "' of '" + thing.owner + "' may be used in " +
                           listed_files(files) + ", too");
    }
  }

  // C's members are, too, where a header declares the type.
  bool is_known_elsewhere(const NamedThing& thing) const {
    return thing.kind == NamedThing::Kind::kOfFile ||
           (thing.kind == NamedThing::Kind::kMember &&
            *tree_->language().modules == ModuleSystem::kInclude);
  }

  void add_place(const NameUse& use, const RenameWish& wish, std::optional<std::size_t> thing) {
    const std::string text = written_use(use, wish.from, wish.to);
    const bool is_last =
        use.form == NameUse::Form::kShorthand || use.form == NameUse::Form::kImported;
    const std::size_t offset = is_last ? text.size() - wish.to.size() : 0;
    places_.push_back({use.range, text, offset, use.doubt, thing});
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
  std::size_t n_things_ = 0;                   // that are renamed
  std::map<std::size_t, std::string> doubts_;  // about all of a thing, by its number
  bool has_cursor_ = false;                    // it goes by that, not by lines
  std::vector<std::string> reasons_;           // why all of it is doubtful
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

}  // namespace redraft
