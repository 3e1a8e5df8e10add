#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/syntax_tree.h"
#include "indexing/syntax/tree_cursor.h"

namespace redraft {

// Comments and the like, added in the order of the text; those on neighbouring lines are one run.
class LeadingRuns {
 public:
  explicit LeadingRuns(std::string_view text) : text_(text) {}
  void add(const ByteRange& range);
  // Where the text at `begin` begins, including everything directly above that belongs to it.
  std::size_t begin_above(std::size_t begin) const;

 private:
  std::string_view text_;
  std::vector<ByteRange> runs_;
};

// Finds definitions among a tree's nodes, using the grammar's table.
class DefinitionFinder {
 public:
  DefinitionFinder(const Grammar& grammar, std::string_view text, const TSNode& root)
      : grammar_(grammar), text_(text), root_(root) {}

  std::optional<Definition> enclosing(std::size_t offset) const;
  std::vector<Definition> all() const;
  // The definition that the node at path[index] is, without the lines above that belong to it.
  std::optional<Definition> definition_at(const std::vector<TSNode>& path, std::size_t index) const;
  // The definition's node, within the wrapper at path[index].
  std::vector<TSNode> path_to_wrapped(const std::vector<TSNode>& path, std::size_t index) const;

 private:
  bool passes(const DefinitionType& type, const TSNode& node) const;
  bool has_several_lines(const TSNode& node) const;
  bool holds_function(const DefinitionType& type, const TSNode& node) const;
  ByteRange with_wrappers(const std::vector<TSNode>& path, std::size_t index) const;
  // The definitions that contain `place`, to which `path` leads; the outermost first.
  std::vector<Definition> around(const std::vector<TSNode>& path, std::size_t place) const;
  // The definition that the wrapper at path[index] wraps.
  std::optional<Definition> wrapped(const std::vector<TSNode>& path, std::size_t index) const;
  // Moves to the comment or the like at `offset`, if it begins its line.
  bool to_leading(std::size_t offset, TreeCursor* cursor) const;
  // The definition to which a comment or the like at `offset` belongs.
  std::optional<Definition> below_leading(std::size_t offset) const;
  Definition with_leading(Definition definition) const;
  LeadingRuns leading_between(std::size_t begin, std::size_t end) const;

  const Grammar& grammar_;
  std::string_view text_;
  TSNode root_;
};

}  // namespace redraft
