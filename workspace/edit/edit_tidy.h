#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workspace/documents/edit_region.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// What a small model writes around the lines that it was asked for, taken off by the syntax tree:
//
//   asked for a method    it writes "class FTP:" around it     the method alone is kept
//                         it goes on with the next method      which exists already, and is dropped
//                         it writes it at the left margin      it gets its indentation back
//                         it begins with "import re"           which goes to the file's imports
//                         it uses re, which is not imported    and the import is added
struct Tidied {
  std::vector<TextEdit> edits;     // against the document: all that the edit changes now
  std::vector<std::string> notes;  // for people: "the copy of 'FTP.close' is left out"
};

// `after` is the document with only the lines of `region` changed. If it `is_doubtful` (see
// edit_doubts.h), its indentation is not what the user meant. Nothing: there is nothing to do, the
// language is unknown, or what would be left is not what was asked for. Of an edit of the whole
// file only the imports are put right.
std::optional<Tidied> tidied(const EditRegion& region, const std::string& after,
                             std::string_view instruction, bool is_doubtful);

}  // namespace redraft
