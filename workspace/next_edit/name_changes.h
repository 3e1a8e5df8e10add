// Names that the user replaced, and what the old name means wherever it still stands.
//
// A variable that is renamed where it is declared has to be renamed where it is used, and nowhere
// else: another function's variable of that name is another thing, and so is a member of another
// type. The text alone cannot tell, but the syntax tree can. With the user's changes of the name
// undone, it resolves the old name (NameMeanings) where the user changed it and everywhere else.
// So the uses that are left follow without a model, and no other search proposes to change a name
// that means something else.
//
// An example: `count` became `total` in the first line of f.
//
//   def f(xs):              the text before: both functions have a `count`
//       total = 0           the user's place; with `count` put back, it declares f's variable
//       return count        the same variable: it follows
//   def g(xs):
//       count = 1           another variable: no search may change it
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "indexing/syntax/name_uses.h"
#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"
#include "workspace/next_edit/certain_edit.h"

namespace redraft {

// Used by one thread at a time.
class NameChanges {
 public:
  // Parses the changed documents. Names are not followed in every language; there, nothing counts.
  explicit NameChanges(const std::vector<RecentChange>& recent);

  // The uses that are left of what the user renamed where it is declared, in one document. Leaves
  // out uses that are not certain. Nothing if the new name is the name of something else there.
  TreeEdits uses_left(const IsUnwanted& is_unwanted) const;

  // Whether a text of whole lines at `begin` of a document's current text has one of the old names,
  // and all of those mean something else than where the user changed it. Parses the document.
  bool is_about_others(const Document& document, std::size_t begin, std::string_view lines) const;
  // Whether an edit of whole lines changes such a name as the user did. Parses the document.
  bool changes_others(const Document& document, const TextEdit& edit) const;

  // Whether the user replaced this name by that one.
  bool has(std::string_view from, std::string_view to) const;

 private:
  // What a place of a name is.
  struct Meaning {
    enum class Sense : std::uint8_t {
      kThing,    // of the document
      kUnknown,  // declared elsewhere, or nowhere
      kOther,    // a member of an unknown object, a key, a string
      kComment,
    };
    Sense sense = Sense::kOther;
    std::vector<std::size_t> things = {};  // indices; several if it is not certain which
    bool is_certain = true;
  };
  // A name that was replaced in one document. Offsets are of `text`, which has the old name again.
  struct Change {
    std::shared_ptr<const Document> document;
    std::string from, to;
    std::shared_ptr<const std::string> text;
    std::vector<std::size_t> places = {};  // where the user replaced it, ascending
    NameMeanings meanings = {};
    std::vector<Meaning> meant = {};     // by the places
    std::set<std::size_t> renamed = {};  // things that the user renamed where declared
    bool is_taken = false;               // the new name may be the name of something else there

    std::size_t then(std::size_t now) const;  // of an offset in the current text
    std::size_t now(std::size_t then) const;
    bool may_follow(std::size_t offset) const;
    bool is_outer() const;
  };
  struct Place {
    std::size_t offset = 0;  // in the current text
    std::string from, to;
  };

  void add(const std::vector<RecentChange>& recent);  // of one document
  static std::vector<Place> replaced_names(const RecentChange& change);
  static Meaning meaning_at(const NameMeanings& meanings, std::size_t offset);
  static void resolve(const SyntaxTree& tree, Change& change);
  static bool is_known_outside(const Document& document, const NameMeanings& meanings,
                               std::size_t offset);
  static void add_uses_left(const Change& change, const IsUnwanted& is_unwanted, TreeEdits& edits);
  bool may_follow(const std::string& from, const std::string& to, const Document& document,
                  std::size_t offset) const;
  bool is_made_twice(const std::string& from, const std::string& to) const;

  std::vector<Change> changes_;                                // the latest document first
  std::vector<std::pair<std::string, std::string>> replaced_;  // all, also in other languages
  // By URI and name: what the name means in documents that the user did not change.
  mutable std::map<std::pair<std::string, std::string>, std::optional<NameMeanings>> elsewhere_;
};

}  // namespace redraft
