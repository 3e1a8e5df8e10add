#pragma once

#include <cstddef>
#include <string>

#include "decoding/cost_curve.h"
#include "workspace/documents/edit_region.h"

namespace redraft {

// What is shown of a file of which a part is edited: bytes, the part itself not counted. `cost`
// tells how much of it the machine reads in a few seconds.
std::size_t edit_context_bytes(const CostCurve& cost);

// The file as the model sees it around the region, with "\n" endings: all of it if what is not
// region has at most `max_bytes`, else the lines nearest to the region and, of the rest, the first
// lines of definitions. Lines that are left out are marked by one with "..." alone.
std::string file_around(const EditRegion& region, std::size_t max_bytes);

}  // namespace redraft
