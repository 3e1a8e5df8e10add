#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/byte_range.h"

namespace redraft {

enum class RegionKind : std::uint8_t {
  kInsertion,   // a blank line; an empty range at its beginning, or the blanks that it consists of
  kComment,     // with nothing below that it belongs to
  kImports,     // all that follow each other
  kDocstring,   // of a module, a class or a function
  kMembers,     // of a type: those on adjacent lines, without its methods
  kStatements,  // one, or those on adjacent lines; entries of data, paragraphs
  kDefinition,  // with comments, decorators and attributes directly above it
  kPart,        // lines between two of the above, for example the head of a long class
  kParagraph,   // lines up to the next blank one, where no syntax is known
  kSelection,   // what the user selected
  kFile
};

// Lines that could be edited as a unit.
struct Region {
  RegionKind kind = RegionKind::kFile;
  ByteRange range;   // whole lines, with the last one's ending
  std::string name;  // for people: "method putcmd", "members of class FTP", "imports"
  friend bool operator==(const Region&, const Region&) = default;
};

// The regions around a place, from the smallest to the file: each contains the one before it and is
// larger. So to widen is to take the next one, to narrow the one before.
struct RegionChain {
  std::vector<Region> regions;  // at least one
  std::size_t chosen = 0;       // the one to edit if nothing else is said

  const Region& region() const { return regions[chosen]; }
};

}  // namespace redraft
