#pragma once

#include <cstddef>
#include <string>

#include "indexing/syntax/region_chain.h"
#include "workspace/documents/document.h"

namespace redraft {

// The regions around a cursor, `at` being empty, or around a selection, which is the smallest of
// them then. By the document's syntax; without any, the lines up to the next blank ones. The one
// that is chosen for a cursor has at most `max_bytes`, unless a single line has more. `at` lies in
// the document. Parses it, so do not call this on the main thread.
RegionChain regions_at(const Document& document, const ByteRange& at, std::size_t max_bytes);

// How many lines the region has; 0 is a place between two.
int line_count(const Document& document, const Region& region);

// What an editor says while the instruction is typed: "edit method putcmd, 3 lines".
std::string region_title(const Document& document, const Region& region);

}  // namespace redraft
