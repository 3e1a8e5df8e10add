#include "workspace/edit/settled_doubts.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "indexing/syntax/named_definitions.h"
#include "workspace/edit/edit_outcome.h"

namespace redraft {
namespace {

using Names = std::set<std::string_view>;

constexpr const char* kGoesWith = "goes with a doubtful change: ";

bool share_any(const Names& a, const Names& b) {
  return a.size() <= b.size()
             ? std::ranges::any_of(a, [&](std::string_view name) { return b.contains(name); })
             : share_any(b, a);
}

// One side of an edit: the text before it, or the text after it.
class Side {
 public:
  explicit Side(const SyntaxTree& tree) : tree_(tree), definitions_(named_definitions(tree)) {
    for (const ByteRange& place : tree.identifiers({0, tree.text().size()}))
      first_.emplace(text_of(place), place.begin);
  }

  Names names_in(const ByteRange& range) const {
    Names names;
    for (const ByteRange& place : tree_.identifiers(range)) names.insert(text_of(place));
    return names;
  }

  // Those of `names`, which `range` has, that stand nowhere before it: in the definition around it,
  // or in the file. A name is declared where it comes first.
  Names first_in(const ByteRange& range, const Names& names) const {
    Names first;
    const std::optional<Definition> around = tree_.enclosing_definition(range.begin);
    const std::size_t begin = around && around->range.begin < range.begin ? around->range.begin : 0;
    const Names above = begin > 0 ? names_in({begin, range.begin}) : Names();
    for (const std::string_view name : names) {
      const auto found = first_.find(name);
      const bool in_file = found != first_.end() && found->second >= range.begin;
      if (in_file || (begin > 0 && !above.contains(name))) first.insert(name);
    }
    return first;
  }

  // The functions and types whose names stand in `range`.
  Names heads_in(const ByteRange& range) const {
    Names names;
    for (const NamedDefinition& one : definitions_) {
      if (range.contains(one.name_range)) names.insert(text_of(one.name_range));
    }
    return names;
  }

 private:
  std::string_view text_of(const ByteRange& range) const {
    return std::string_view(tree_.text()).substr(range.begin, range.size());
  }

  const SyntaxTree& tree_;
  std::vector<NamedDefinition> definitions_;
  std::map<std::string_view, std::size_t> first_;  // where each name comes first
};

// What a hunk does to names.
struct NamesOfHunk {
  Names all;       // on either side
  Names added;     // only the new text has them
  Names removed;   // only the old text has them
  Names declared;  // of `added`, see Side::first_in()
  Names dropped;   // of `removed`: their declarations go
  Names heads;     // of definitions that it changes
};

// Which hunks of an edit are wrong without which others.
class Dependencies {
 public:
  Dependencies(const SyntaxTree& before, const SyntaxTree& after, const std::vector<Hunk>& hunks) {
    const Side old_side(before), new_side(after);
    const std::vector<ByteRange> places = new_places(edits_of(hunks));
    for (std::size_t i = 0; i < hunks.size(); ++i) {
      const ByteRange old_place = hunks[i].edit.range, new_place = places[i];
      NamesOfHunk names;
      const Names old_names = old_side.names_in(old_place);
      const Names new_names = new_side.names_in(new_place);
      std::ranges::set_union(old_names, new_names, std::inserter(names.all, names.all.end()));
      std::ranges::set_difference(new_names, old_names,
                                  std::inserter(names.added, names.added.end()));
      std::ranges::set_difference(old_names, new_names,
                                  std::inserter(names.removed, names.removed.end()));
      names.declared = new_side.first_in(new_place, names.added);
      names.dropped = old_side.first_in(old_place, names.removed);
      names.heads = old_side.heads_in(old_place);
      names.heads.merge(new_side.heads_in(new_place));
      names_.push_back(std::move(names));
    }
  }

  // Whether `hunk` cannot be taken if `left` is left.
  bool needs(std::size_t hunk, std::size_t left) const {
    const NamesOfHunk& taken = names_[hunk];
    const NamesOfHunk& other = names_[left];
    return share_any(other.declared, taken.added) || share_any(taken.dropped, other.removed) ||
           share_any(other.heads, taken.all) || share_any(taken.heads, other.all);
  }

 private:
  std::vector<NamesOfHunk> names_;  // [hunk]
};

class Settlement {
 public:
  Settlement(const Document& document, const std::string& instruction, EditKind kind,
             std::vector<Hunk>& hunks)
      : document_(document), instruction_(instruction), kind_(kind), hunks_(hunks) {
    for (Hunk& hunk : hunks_) hunk.doubt.clear();
  }

  void settle(const std::vector<Doubt>& doubts) {
    if (doubts.empty()) return;
    for (const Doubt& doubt : doubts) {
      for (const int i : doubt.edits) add_reason(hunks_[static_cast<std::size_t>(i)], doubt.reason);
    }
    for (const Doubt& doubt : doubts) {
      if (doubt.concerns_all) leave_all(doubt.reason);
      if (doubt.kind == Doubt::Kind::kSyntax) leave_parts_of(doubt);
    }
    if (document_.syntax() == nullptr) {
      for (const Doubt& doubt : doubts) leave_parts_of(doubt);
      return;
    }
    if (kind_ == EditKind::kRename) return;  // its uses that are certain need no other
    leave_dependents();
    check_rest();
  }

 private:
  static void add_reason(Hunk& hunk, const std::string& reason) {
    hunk.doubt += (hunk.doubt.empty() ? "" : "; ") + reason;
  }

  static bool is_left(const Hunk& hunk) { return !hunk.doubt.empty(); }

  // `reason` is that of another hunk.
  static void leave(Hunk& hunk, const std::string& reason) {
    if (is_left(hunk)) return;
    hunk.doubt = reason.starts_with(kGoesWith) ? reason : kGoesWith + reason;
  }

  void leave_all(const std::string& reason) {
    for (Hunk& hunk : hunks_) leave(hunk, reason);
  }

  void leave_parts_of(const Doubt& doubt) {
    for (const int i : doubt.edits)
      leave_part(hunks_[static_cast<std::size_t>(i)].origin.part, doubt.reason);
  }

  void leave_part(int part, const std::string& reason) {
    for (Hunk& hunk : hunks_) {
      if (hunk.origin.part == part) leave(hunk, reason);
    }
  }

  // Until nothing more depends on what is left.
  void leave_dependents() {
    const auto text =
        std::make_shared<const std::string>(apply_edits(document_.text(), edits_of(hunks_)));
    const std::optional<SyntaxTree> after = document_.syntax()->edited(text);
    if (!after) return leave_all(first_reason());
    const Dependencies dependencies(*document_.syntax(), *after, hunks_);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < hunks_.size(); ++i) {
      if (is_left(hunks_[i])) left.push_back(i);
    }
    for (std::size_t n = 0; n < left.size(); ++n) {
      for (std::size_t i = 0; i < hunks_.size(); ++i) {
        if (is_left(hunks_[i]) || !dependencies.needs(i, left[n])) continue;
        leave(hunks_[i], hunks_[left[n]].doubt);
        left.push_back(i);
      }
    }
  }

  // The remaining hunks alone must leave nothing to doubt.
  void check_rest() {
    for (const bool is_last : {false, true}) {
      std::vector<Hunk> rest;
      for (const Hunk& hunk : hunks_) {
        if (!is_left(hunk)) rest.push_back(hunk);
      }
      if (rest.empty()) return;
      const std::vector<Doubt> doubts = doubts_about(document_, instruction_, kind_, rest);
      if (doubts.empty()) return;
      const std::string reason = first_reason();
      if (is_last) return leave_all(reason);
      std::set<int> parts;
      for (const Hunk& hunk : hunks_) {
        if (is_left(hunk)) parts.insert(hunk.origin.part);
      }
      for (const Doubt& doubt : doubts) {
        for (const int i : doubt.edits) parts.insert(rest[static_cast<std::size_t>(i)].origin.part);
      }
      for (const int part : parts) leave_part(part, reason);
    }
  }

  // The reason of what is left already.
  std::string first_reason() const { return std::ranges::find_if(hunks_, is_left)->doubt; }

  const Document& document_;
  const std::string& instruction_;
  EditKind kind_;
  std::vector<Hunk>& hunks_;
};

}  // namespace

void settle_doubts(const Document& document, const std::string& instruction, EditKind kind,
                   const std::vector<Doubt>& doubts, std::vector<Hunk>& hunks) {
  Settlement(document, instruction, kind, hunks).settle(doubts);
}

}  // namespace redraft
