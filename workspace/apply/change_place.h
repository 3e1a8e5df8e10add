// Where a change that another assistant wrote belongs.
//
// A change whose place is certain is applied by its lines and the syntax tree alone, in
// milliseconds. For anything else the model decides; it sees the places that the change may be
// about.
//
//   a hunk or a SEARCH block     whose old lines are at one place of the file, or at the one that
//                                the hunk's heading or line number names
//   a function, a type, a        that the file has once: it is replaced as a whole
//   section of Markdown, a
//   rule of a Makefile
//   lines between ellipses       where they fit best by far (line_alignment.h), in the definition
//                                that the change shows around them:
//
//     def send(self, line):          is found by its name, and is not complete
//         # ... existing code ...
//         self.log(line)             is there once
//         return len(line)           the definition ends here, as it does in the file
//
//   a new function               goes after the one that the change shows before it, or to the end
//                                of its class
//   an import                    goes to the imports, where the language allows it (import_place.h)
//
// A change never removes what it does not show: a class of which it shows only one method, a
// definition or many lines between two that are adjacent in the change, all raise a doubt. Imports
// are only added. Lines that do not fit in the order of the file, and changes that would break its
// syntax, raise a doubt too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/byte_range.h"
#include "support/result.h"
#include "workspace/apply/change_mismatch.h"
#include "workspace/apply/change_text.h"
#include "workspace/documents/change_origin.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

struct PlacedChange {
  bool is_certain() const { return doubt.empty(); }
  // Every part has a place. It may be a doubtful one: see `doubts`.
  bool is_placed() const { return mismatches.empty(); }

  // If it is placed, as a whole or not at all; empty: the file has the change already.
  std::vector<TextEdit> edits;
  std::vector<ChangeOrigin> origins;  // [edit]
  std::vector<std::string> doubts;    // [edit]: why it may be wrong, for the user; empty: it is not
  // Why the place is uncertain, for the user: "'return x' is at 3 places". If it is placed, the
  // first of `doubts`.
  std::string doubt;
  // Of each part that has no place, in the order of the change.
  std::vector<Mismatch> mismatches = {};
  // If it is uncertain: the whole lines that the change may be about, ascending and disjoint.
  // Empty: the file has no similar lines.
  std::vector<ByteRange> places;
  std::vector<std::string> notes = {};  // ProposedChange::notes, and what has no place in the file
};

// Parses the document.
PlacedChange place_change(const std::shared_ptr<const Document>& document,
                          const ProposedChange& change);

// The facts about the document that parsing `change` needs.
ChangedFile changed_file(const Document& document);

}  // namespace redraft
