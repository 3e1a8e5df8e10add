// Where a change belongs that another assistant wrote.
//
// What says so without a doubt is put there by the lines and the syntax tree alone, in
// milliseconds; all else is for the model, which is shown the places that it may concern.
//
//   a hunk or a SEARCH block     whose old lines stand at one place of the file, or at the one that
//                                the hunk's heading or line number names
//   a function, a type           that the file has once: it is replaced as a whole
//   lines between ellipses       where they fit best by far (line_alignment.h), in the definition
//                                that the change shows around them:
//
//     def send(self, line):          is found by its name, and is not complete
//         # ... existing code ...
//         self.log(line)             stands there once
//         return len(line)           the definition ends here, as it does in the file
//
//   a new function               goes behind the one that the change shows before it, or to the end
//                                of its class
//   an import                    goes to the imports
//
// Nothing is taken away that the change does not show: a class of which only one method is shown, a
// definition or many lines between two that stand together in the change, are a doubt. Imports only
// come. What does not fit in the order of the file and what would break its syntax is a doubt too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/byte_range.h"
#include "support/result.h"
#include "workspace/apply/change_text.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

struct PlacedChange {
  bool is_certain() const { return doubt.empty(); }

  std::vector<TextEdit> edits;  // if it is certain; empty: the file has it already
  std::string doubt;            // why it is not, for people: "'return x' stands at 3 places"
  // If it is not: the whole lines that it may concern, ascending and disjoint. Empty: there are
  // none like it.
  std::vector<ByteRange> places;
};

// Parses the document.
PlacedChange place_change(const std::shared_ptr<const Document>& document,
                          const ProposedChange& change);

// What `change` needs to know of the document.
ChangedFile changed_file(const Document& document);

}  // namespace redraft
