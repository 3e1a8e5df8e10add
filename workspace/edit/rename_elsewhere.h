#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/byte_range.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// Something that one file declares and that gets another name.
struct RenamedForOthers {
  std::shared_ptr<const Document> home;
  std::filesystem::path path;  // of the home, absolute; so are those of other files
  std::string from, to;
  bool is_member = false;  // of a type; otherwise it is at the home's outermost level
};

// A place of the old name that may mean what was renamed.
struct UndecidedUse {
  ByteRange range;
  std::string why;  // for people
};

struct RenamedElsewhere {
  std::vector<TextEdit> edits;          // ascending and disjoint
  std::vector<UndecidedUse> undecided;  // ascending
  // An import takes the name from the home, and others may import it from here: this file is
  // another home.
  bool passes_on = false;
};

// The uses in one other file, of the same family of languages. Certain are those of a name that an
// import takes from the home, those behind such a module's name, and, where files know each other's
// names without an import, those that the file does not declare. A name that another import or
// include may bring is undecided. Comments and strings stay. Reads no file; parses both documents.
RenamedElsewhere rename_elsewhere(const RenamedForOthers& renamed, const Document& other,
                                  const std::filesystem::path& path);

}  // namespace redraft
