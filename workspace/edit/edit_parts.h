#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workspace/documents/edit_region.h"
#include "workspace/edit/edit_windows.h"

namespace redraft {

// Lines of a file that can be edited by themselves. Neither the first nor the last one is blank.
struct EditPart {
  LineWindow lines;
  // Of the definition that it is, or is a piece of, with those around it as far as they are divided
  // too: "Server.start". Empty: none.
  std::string name;
  bool whole = false;  // it is that definition
  // The innermost definition around it that is divided, or that it is a piece of: a number that
  // other parts there have too; -1: none.
  int inside = -1;
  // It is a piece with the line that begins the definition, or with the one that ends it.
  bool begins_definition = false;
  bool ends_definition = false;
  // The line that says best what it is: the definition's, else its first one. Not indented, cut
  // where it is long.
  std::string head;
};

// Divides a file into parts of at most `max_bytes` each, or of one line: definitions, larger ones
// by their members, and the lines between them; what has no syntax, by paragraphs and by blocks of
// lines that are indented further (line_blocks.h), of which none that fits is cut. In file order,
// disjoint; every line with a letter or digit is in one of them. Parses the document.
std::vector<EditPart> divide_into_parts(const EditRegion& file, std::size_t max_bytes);

}  // namespace redraft
