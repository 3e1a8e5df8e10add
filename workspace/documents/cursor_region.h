#pragma once

#include <cstddef>
#include <string>

#include "indexing/syntax/region_chain.h"
#include "workspace/documents/document.h"

namespace redraft {

// The regions around a cursor (`at` is empty) or around a selection, which then is the smallest
// region. Determined by the document's syntax; without syntax, the lines up to the next blank ones.
// The region chosen for a cursor has at most `max_bytes`, unless a single line has more. `at` must
// lie in the document. Parses it, so do not call this on the main thread.
RegionChain regions_at(const Document& document, const ByteRange& at, std::size_t max_bytes);

// The number of lines in the region; 0: the region is between two lines.
int line_count(const Document& document, const Region& region);

// The text that an editor shows while the instruction is typed: "edit method putcmd, 3 lines".
std::string region_title(const Document& document, const Region& region);

}  // namespace redraft
