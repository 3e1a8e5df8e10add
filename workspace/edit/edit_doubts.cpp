#include "workspace/edit/edit_doubts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "indexing/syntax/imports.h"
#include "indexing/syntax/name_uses.h"
#include "indexing/syntax/named_definitions.h"
#include "indexing/syntax/signatures.h"
#include "languages/language.h"
#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "text/strings/trimmed.h"
#include "workspace/apply/ellipsis.h"
#include "workspace/edit/allowed_loss.h"
#include "workspace/edit/kept_definitions.h"
#include "workspace/edit/macro_errors.h"
#include "workspace/edit/undefined_members.h"

namespace redraft {
namespace {

using Kind = Doubt::Kind;

constexpr std::size_t kMostReasons = 3;

// A namespace may well be there twice.
std::vector<NamedDefinition> compared_definitions(const SyntaxTree& tree) {
  std::vector<NamedDefinition> compared = named_definitions(tree);
  std::erase_if(compared, [](const NamedDefinition& one) {
    return one.kind != DefinitionKind::kFunction && one.kind != DefinitionKind::kType;
  });
  return compared;
}

using Key = std::pair<DefinitionKind, std::string>;  // and its path

std::map<Key, int> counts_of(const std::vector<NamedDefinition>& definitions) {
  std::map<Key, int> counts;
  for (const NamedDefinition& definition : definitions)
    ++counts[{definition.kind, definition.path()}];
  return counts;
}

// Those of `some` that `others` has fewer of: of each path the last ones.
std::vector<const NamedDefinition*> missing_from(const std::vector<NamedDefinition>& others,
                                                 const std::vector<NamedDefinition>& some) {
  std::map<Key, int> counts = counts_of(others);
  std::vector<const NamedDefinition*> missing;
  for (const NamedDefinition& one : some) {
    if (--counts[{one.kind, one.path()}] < 0) missing.push_back(&one);
  }
  return missing;
}

bool touch(const ByteRange& a, const ByteRange& b) { return a.begin <= b.end && b.begin <= a.end; }

// The indices of the places that touch `range`, or the one closest to it; `places` is not empty.
std::vector<int> concerned(const std::vector<ByteRange>& places, const ByteRange& range) {
  std::vector<int> indices;
  const auto distance = [&](const ByteRange& place) {
    return place.begin > range.end ? place.begin - range.end : range.begin - place.end;
  };
  int closest = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (touch(places[i], range)) {
      indices.push_back(static_cast<int>(i));
    } else if (indices.empty() &&
               distance(places[i]) < distance(places[static_cast<std::size_t>(closest)])) {
      closest = static_cast<int>(i);
    }
  }
  return indices.empty() ? std::vector{closest} : indices;
}

std::size_t indentation(std::string_view text, std::size_t line) {
  return skip_blanks(text, line) - line;
}

// Whether two definitions are alternatives, of which the program has one: between them stands an
// `else`, an `except` or an `#else`, further to the left.
bool are_alternatives(std::string_view text, const NamedDefinition& first,
                      const NamedDefinition& second) {
  const std::size_t deep = indentation(text, line_start(text, second.range.begin));
  for (std::size_t at = line_end(text, first.range.end); at < second.range.begin;
       at = line_end(text, at)) {
    if (++at >= second.range.begin) break;
    const std::size_t begin = skip_blanks(text, at);
    if (begin >= text.size() || text[begin] == '\n') continue;
    if (begin - at < deep) return true;
    if (text.substr(begin).starts_with("#e") || text.substr(begin).starts_with("#if")) return true;
  }
  return false;
}

int line_of(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(),
                                         text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

// "is_contiguous" of "is_contiguous<T>", a specialization.
std::string without_arguments(const std::string& name) { return name.substr(0, name.find('<')); }

class Examination {
 public:
  explicit Examination(const EditInQuestion& edit)
      : edit_(edit),
        allowed_(edit.instruction),
        before_(compared_definitions(edit.before)),
        after_(compared_definitions(edit.after)),
        new_places_(new_places(edit.edits)) {
    for (const TextEdit& one : edit.edits) old_places_.push_back(one.range);
  }

  std::vector<Doubt> doubts() {
    check_syntax();
    check_left_out();
    check_lost();
    check_repeated();
    check_branches();
    check_imports();
    check_wildcards();
    check_names();
    check_results();
    return std::move(doubts_);
  }

 private:
  void add(Kind kind, std::string reason, std::vector<int> edits) {
    doubts_.push_back({kind, std::move(reason), std::move(edits)});
  }

  void check_syntax() {
    if (!breaks_syntax(edit_.before, edit_.after) ||
        are_errors_of_macros(edit_.before, edit_.after, new_places_))
      return;
    const std::vector<SyntaxError> errors = edit_.after.errors();
    const auto in_new_text = [&](const SyntaxError& error) {
      return std::ranges::any_of(new_places_,
                                 [&](const ByteRange& at) { return touch(at, error.range); });
    };
    const auto found = std::ranges::find_if(errors, in_new_text);
    const SyntaxError& error = found == errors.end() ? errors.front() : *found;
    const int line = line_of(edit_.after.text(), error.range.begin);
    add(Kind::kSyntax, "there are new syntax errors (line " + std::to_string(line) + ")",
        concerned(new_places_, error.range));
  }

  // A comment that stands for lines that the model did not write again.
  void check_left_out() {
    for (std::size_t i = 0; i < edit_.edits.size(); ++i) {
      const std::string_view text = edit_.edits[i].new_text;
      for (std::size_t at = 0; at < text.size(); at = line_end(text, at) + 1) {
        const std::string line(trimmed(text.substr(at, line_end(text, at) - at)));
        if (!stands_for_code(line) || edit_.before.text().find(line) != std::string::npos) continue;
        add(Kind::kLeftOut, "'" + line + "' stands for lines that are left out",
            {static_cast<int>(i)});
        break;
      }
    }
  }

  void check_lost() {
    const std::vector<const NamedDefinition*> gone = missing_from(after_, before_);
    if (gone.empty()) return;
    std::vector<const NamedDefinition*> added = missing_from(before_, after_);
    const KeptDefinitions kept(edit_.before, edit_.after, edit_.edits);
    for (const NamedDefinition* lost : gone) {
      if (kept.has(*lost)) continue;
      const std::vector<int> edits = concerned(old_places_, lost->name_range);
      auto now = std::ranges::find_if(
          added, [&](const NamedDefinition* one) { return takes_place_of(*one, *lost, edits); });
      if (now == added.end())
        now = std::ranges::find_if(added, [&](const NamedDefinition* one) {
          return kept.is_same_under_other_name(*lost, *one);
        });
      if (now == added.end()) {
        if (!allowed_.to_lose(lost->name) && !kept.is_written_in_place(*lost))
          add(Kind::kLost, "the definition of '" + lost->path() + "' is gone", edits);
        continue;
      }
      if (!allowed_.to_rename(without_arguments(lost->name), without_arguments((*now)->name)) &&
          !((*now)->name != lost->name && kept.is_own_rename(*lost)))
        add(Kind::kRenamed, "'" + lost->path() + "' is now '" + (*now)->path() + "'", edits);
      added.erase(now);
    }
  }

  // Whether a new definition is an old one under another name, by the same edit, or elsewhere.
  bool takes_place_of(const NamedDefinition& now, const NamedDefinition& lost,
                      const std::vector<int>& edits) const {
    if (now.name == lost.name) return true;
    return now.around == lost.around && std::ranges::any_of(edits, [&](int i) {
             return touch(new_places_[static_cast<std::size_t>(i)], now.name_range);
           });
  }

  void check_repeated() {
    std::map<Key, int> counts = counts_of(before_);
    std::map<Key, std::map<std::string, const NamedDefinition*>> seen;
    for (const NamedDefinition& one : after_) {
      const Key key{one.kind, one.path()};
      const auto [known, is_new] = seen[key].emplace(distinction_of(one), &one);
      --counts[key];
      if (is_new) continue;
      if (counts[key] < 0 && !are_alternatives(edit_.after.text(), *known->second, one))
        add(Kind::kRepeated, "'" + one.path() + "' is defined twice",
            edits_of_pair(*known->second, one));
      known->second = &one;
    }
  }

  // What lets a file have another definition of the same path. "export" before a second one does
  // not.
  std::string distinction_of(const NamedDefinition& one) const {
    const std::string signature = signature_of(edit_.after.text(), one);
    const std::string_view text = edit_.after.text();
    const std::string_view head =
        text.substr(one.range.begin, one.name_range.begin - one.range.begin);
    const std::string_view behind = text.substr(one.name_range.end);
    // Attributes, parts of a type, specializations of templates, and what merges with a class.
    const bool may_differ = head.find('#') != head.npos || head.find('@') != head.npos ||
                            has_name(head, "partial") || has_name(head, "interface") ||
                            behind.starts_with('<') || behind.starts_with('[');
    return one.kind == DefinitionKind::kType && !may_differ ? std::string() : signature;
  }

  // Those that wrote one of the two.
  std::vector<int> edits_of_pair(const NamedDefinition& first,
                                 const NamedDefinition& second) const {
    std::vector<int> edits;
    for (std::size_t i = 0; i < new_places_.size(); ++i) {
      if (touch(new_places_[i], first.name_range) || touch(new_places_[i], second.name_range))
        edits.push_back(static_cast<int>(i));
    }
    return edits.empty() ? concerned(new_places_, second.range) : edits;
  }

  // A branch is lost if no name of it stayed and most of them stand in no new text.
  void check_branches() {
    if (allowed_.to_lose_branch()) return;
    const std::vector<ByteRange> branches_now = edit_.after.other_branches();
    for (const ByteRange& branch : edit_.before.other_branches()) {
      std::set<std::string_view> names;
      bool stays = false;
      for (const ByteRange& place : edit_.before.identifiers(branch)) {
        names.insert(text_of(edit_.before, place));
        stays = stays || std::ranges::none_of(old_places_, [&](const ByteRange& old) {
                  return old.contains(place);
                });
      }
      const auto is_gone = [&](std::string_view name) {
        return std::ranges::none_of(
            edit_.edits, [&](const TextEdit& one) { return has_name(one.new_text, name); });
      };
      if (stays || names.empty() || 2 * std::ranges::count_if(names, is_gone) <= std::ssize(names))
        continue;
      if (is_written_anew(branch, branches_now)) continue;
      const int line = line_of(edit_.before.text(), branch.begin);
      add(Kind::kBranch, "what line " + std::to_string(line) + " does otherwise is gone",
          concerned(old_places_, branch));
    }
  }

  // Whether the edit that took the branch away wrote as many as it took.
  bool is_written_anew(const ByteRange& branch, const std::vector<ByteRange>& branches_now) const {
    for (std::size_t i = 0; i < old_places_.size(); ++i) {
      if (!old_places_[i].contains(branch.begin)) continue;
      const auto n_in = [](const std::vector<ByteRange>& branches, const ByteRange& place) {
        return std::ranges::count_if(
            branches, [&](const ByteRange& one) { return place.contains(one.begin); });
      };
      return n_in(branches_now, new_places_[i]) >=
             n_in(edit_.before.other_branches(), old_places_[i]);
    }
    return false;
  }

  void check_imports() {
    std::vector<ByteRange> gone;  // includes
    const std::vector<Import> imports = edit_.before.imports().all;
    const auto is_changed = [&](const Import& import) {
      return std::ranges::any_of(old_places_,
                                 [&](const ByteRange& at) { return at.contains(import.range); });
    };
    if (std::ranges::none_of(imports, is_changed)) return;
    const std::vector<Import> imports_now = edit_.after.imports().all;
    for (const Import& import : imports) {
      if (!is_changed(import)) continue;
      check_imported_names(import.range);
      const std::string_view text = trimmed(text_of(edit_.before, import.range));
      const bool is_there = std::ranges::any_of(imports_now, [&](const Import& now) {
        return trimmed(text_of(edit_.after, now.range)) == text;
      });
      if (!is_there && text.starts_with("#")) gone.push_back(import.range);
    }
    // One for another is no loss.
    if (imports_now.size() >= imports.size()) return;
    for (const ByteRange& range : gone) {
      const std::string line(trimmed(text_of(edit_.before, range)));
      if (!is_include_expected_to_go(line, imports_now))
        add(Kind::kImport, "'" + line + "' is gone", concerned(old_places_, range));
    }
  }

  // An import of all names, where people avoid such imports.
  void check_wildcards() {
    const KnownNames* const known = edit_.after.language().known_names;
    if (known == nullptr || !known->doubts_wildcards) return;
    for (const Import& import : edit_.after.imports().all) {
      const std::string line(trimmed(text_of(edit_.after, import.range)));
      if (!line.ends_with('*') || edit_.before.text().find(line) != std::string::npos) continue;
      add(Kind::kImport, "'" + line + "' hides which names it imports",
          concerned(new_places_, import.range));
    }
  }

  // Go: "a, b := f()" of a function with one result.
  void check_results() {
    if (breaks_syntax(edit_.before, edit_.after)) return;
    for (const ResultMismatch& one : edit_.after.result_mismatches()) {
      const bool is_new = std::ranges::any_of(
          new_places_, [&](const ByteRange& place) { return touch(place, one.call); });
      const auto number = [](int n) { return std::to_string(n) + (n == 1 ? " value" : " values"); };
      if (is_new)
        add(Kind::kUndefined,
            "'" + std::string(text_of(edit_.after, one.function)) + "' returns " +
                number(one.n_returned) + ", and " + std::to_string(one.n_taken) + " are taken",
            concerned(new_places_, one.call));
    }
  }

  // Names that an import made known, and that now nothing does.
  void check_imported_names(const ByteRange& import) {
    for (const ByteRange& place : edit_.before.identifiers(import)) {
      const std::string name(text_of(edit_.before, place));
      if (name == "_") continue;  // Rust: no name is imported
      const auto then = edit_.before.meanings_of(name), now = edit_.after.meanings_of(name);
      if (then && now && then->unknown.empty() && !now->unknown.empty())
        add(Kind::kImport, "'" + name + "' is used, but not imported any more",
            concerned(old_places_, import));
    }
  }

  // "#include <math.h>" became "#include <cmath>", or the instruction says so.
  bool is_include_expected_to_go(const std::string& line, const std::vector<Import>& now) const {
    const std::size_t slash = line.find_last_of("/<\"", line.size() - 2);
    const std::string file = line.substr(slash + 1, line.size() - slash - 2);
    const std::string name = file.substr(0, file.find('.'));
    if (allowed_.to_lose(name) || allowed_.to_lose("include") || allowed_.to_lose("includes") ||
        allowed_.to_lose("headers"))
      return true;
    return std::ranges::any_of(now, [&](const Import& one) {
      return text_of(edit_.after, one.range).find(name) != std::string_view::npos;
    });
  }

  void check_names() {
    for (const UndefinedName& one :
         undefined_names({edit_.before, edit_.after, old_places_, new_places_}, edit_.others)) {
      // What made it known is gone, and that is said.
      const bool is_told = one.was_known && std::ranges::any_of(doubts_, [&](const Doubt& doubt) {
                             return doubt.kind == Kind::kLeftOut || doubt.kind == Kind::kLost ||
                                    has_name(doubt.reason, one.name);
                           });
      if (!is_told)
        add(Kind::kUndefined,
            "the name '" + one.name + "' is defined nowhere" + (one.was_known ? " any more" : ""),
            concerned(new_places_, one.place));
    }
    for (const UndefinedMember& one :
         undefined_members({edit_.before, edit_.after, old_places_, new_places_}))
      add(Kind::kUndefined, "'" + one.owner + "' has no '" + one.name + "'",
          concerned(new_places_, one.place));
  }

  static std::string_view text_of(const SyntaxTree& tree, const ByteRange& range) {
    return std::string_view(tree.text()).substr(range.begin, range.size());
  }

  const EditInQuestion& edit_;
  AllowedLoss allowed_;
  std::vector<NamedDefinition> before_, after_;
  std::vector<ByteRange> old_places_, new_places_;  // [edit]
  std::vector<Doubt> doubts_;
};

}  // namespace

std::vector<Doubt> doubts_about(const EditInQuestion& edit) {
  return edit.edits.empty() ? std::vector<Doubt>() : Examination(edit).doubts();
}

std::string reasons_of(const std::vector<Doubt>& doubts) {
  std::string reasons;
  for (std::size_t i = 0; i < std::min(doubts.size(), kMostReasons); ++i)
    reasons += (i == 0 ? "" : "; ") + doubts[i].reason;
  if (doubts.size() > kMostReasons)
    reasons += "; and " + std::to_string(doubts.size() - kMostReasons) + " more";
  return reasons;
}

}  // namespace redraft
