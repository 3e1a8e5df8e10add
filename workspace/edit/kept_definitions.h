// Definitions that a tree does not have any more, and that are not lost
//
//   untouched         the edits left its text alone: a macro beside it makes the tree misread it,
//                     or the namespace around it has other ends
//   elsewhere         it moved into its class: "Env::start" outside became "start" within Env
//   another kind      "function engine() {}" became "var engine = ..."
//   written in place  its lines stayed where they were, below another head that names nothing, and
//                     nothing uses its name
//   derived           Rust: its implementation of a trait became a `derive`
//   a name of its own only the file can use it, and nothing uses the old name any more
#pragma once

#include <string>
#include <vector>

#include "indexing/syntax/named_definitions.h"
#include "indexing/syntax/syntax_tree.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

class KeptDefinitions {
 public:
  KeptDefinitions(const SyntaxTree& before, const SyntaxTree& after,
                  const std::vector<TextEdit>& edits);

  // Whether a definition of `before` that `after` has no equal of is there all the same.
  bool has(const NamedDefinition& lost) const;
  // Whether it is written in place, if no other definition took its place.
  bool is_written_in_place(const NamedDefinition& lost) const;
  // Whether `now`, of `after`, has the names of `lost` in the same order, but its own.
  bool is_same_under_other_name(const NamedDefinition& lost, const NamedDefinition& now) const;
  // Whether nobody can miss the old name: the file alone could use it, and does not.
  bool is_own_rename(const NamedDefinition& lost) const;

 private:
  bool is_untouched(const NamedDefinition& lost) const;
  bool is_elsewhere(const NamedDefinition& lost) const;
  bool is_of_another_kind(const NamedDefinition& lost) const;
  bool has_other_head(const NamedDefinition& lost) const;
  bool is_derived(const NamedDefinition& lost) const;
  bool is_seen_without_macros(const NamedDefinition& lost) const;
  bool is_used(const std::string& name) const;
  bool is_changed(const ByteRange& range) const;
  std::size_t now_at(std::size_t offset) const;

  const SyntaxTree& before_;
  const SyntaxTree& after_;
  const std::vector<TextEdit>& edits_;
  std::vector<ByteRange> new_places_;  // [edit]
  std::vector<NamedDefinition> all_before_, all_after_;
};

}  // namespace redraft
