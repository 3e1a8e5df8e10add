// Which lines a cursor stands for
//
// A *sequence* is a node whose children stand on lines of their own: a block of statements, the
// body of a class, an object of JSON (Language::sequences). A *unit* is such a child, if
// nothing else is on its lines. The regions around a place are the units around it, each first by
// itself and then, unless it is a definition, with the units of its kind on adjacent lines:
//
//   class FTP:                      | a class                        5
//       debugging = 0               | members of class FTP        2  |
//       port = FTP_PORT             |                             |  |
//                                   |                                |
//       def putcmd(self, line):     | method putcmd         4        |
//           line = sanitize(line)   | part of it    1  3    |        |
//           if self.debugging:      | an if         2  |    |        |
//               print(line)    ¦    | the cursor's  |  |    |        |
//
// Without a choice of the user, the edited region depends on size and kind: the method if it is
// affordable, otherwise a block of it; never the class, unless the cursor is on its head.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "indexing/syntax/definition_finder.h"
#include "indexing/syntax/grammar_table.h"
#include "indexing/syntax/region_chain.h"

namespace redraft {

class RegionFinder {
 public:
  RegionFinder(const Grammar& grammar, std::string_view text, const TSNode& root)
      : grammar_(grammar), text_(text), root_(root), definitions_(grammar, text, root) {}

  // The chosen one has at most `max_bytes`, unless a single line has more. So have runs of units.
  RegionChain around(std::size_t offset, std::size_t max_bytes) const;

 private:
  using Path = std::vector<TSNode>;  // from the root
  // What the chain is made of, the innermost first.
  struct Link {
    Region region;
    const DefinitionType* definition = nullptr;  // of a kDefinition
  };
  // What is known about a search.
  struct Search {
    std::size_t origin;  // the cursor
    std::size_t place;   // where what it means begins, or is
    std::size_t max_bytes;
    Path path;
    std::vector<Link> links;

    bool fits(std::size_t index) const;
    // What a link has that is a definition:
    bool is_function(std::size_t definition) const;
    bool holds_units(std::size_t definition) const;  // which are edited one by one: a class
    std::optional<std::size_t> next_definition(std::size_t from) const;
  };
  struct Run {
    ByteRange lines;
    bool has_code;  // not just comments
  };
  struct Found {
    Definition definition;
    const DefinitionType* type;
    std::string title;  // "class FTP"
  };

  bool is_blank_line(std::size_t offset) const;
  // Whether a blank line is inside a string, a comment or the like.
  bool is_in_token(std::size_t offset) const;
  // Without the blank lines that some nodes end with.
  ByteRange lines_of(const TSNode& node) const;
  Path path_to(std::size_t offset) const;
  // From a comment, or an attribute that is a node of its own, to what it belongs to.
  void leave_leading(Search* search) const;

  bool is_unit(const Path& path, std::size_t index) const;
  // Whether nothing but punctuation and a comment shares the node's lines.
  bool has_own_lines(const TSNode& node) const;
  bool is_import(const TSNode& unit) const;
  bool is_docstring(const Path& path, std::size_t index) const;
  std::optional<Found> definition_of(const Path& path, std::size_t index) const;
  std::optional<Found> definition_around(const Path& path, std::size_t index) const;
  std::size_t begin_with_leading(const TSNode& unit) const;

  void add_insertion(std::size_t offset, Search* search) const;
  void add_unit(std::size_t index, Search* search) const;
  void add(Link link, Search* search) const;
  // The lines of the unit at path[index] with those of its siblings of the same kind.
  Run run_of(const Path& path, std::size_t index, ByteRange lines, std::size_t max_bytes) const;
  bool joins(const Path& path, const TSNode& sibling, bool imports) const;
  // The lines around the place that belong to no unit inside the smallest region, with the comments
  // and the like above if they are the head of a unit.
  Region part_around(const Search& search) const;
  // The index of the link that is edited if the user chooses none. May add a link before all
  // others.
  std::size_t choose(Search* search) const;
  std::optional<std::size_t> definition_to_edit(const Search& search) const;
  std::optional<std::size_t> block_to_edit(const Search& search) const;
  std::optional<std::size_t> largest_inside(const Search& search,
                                            std::optional<std::size_t> definition) const;
  // Adds a part of the smallest region, unless that part is all of it. Returns its index.
  std::size_t add_part(Search* search) const;

  const Grammar& grammar_;
  std::string_view text_;
  TSNode root_;
  DefinitionFinder definitions_;
};

}  // namespace redraft
