#pragma once

#include <cstddef>
#include <string>

#include "decoding/cost_curve.h"
#include "workspace/documents/edit_region.h"

namespace redraft {

// How many bytes of a file to show around the region that is edited, as many as the machine reads
// in a few seconds by `cost`.
std::size_t edit_context_bytes(const CostCurve& cost);

struct FileAround {
  std::string text;
  ByteRange region;  // where the region's lines stand in it
};

// The file as the model sees it around the region, with "\n" endings. All of it if the rest of the
// file has at most `max_bytes`; otherwise the lines nearest to the region and, of other lines, the
// first lines of definitions. A line "..." marks omitted lines.
FileAround file_around(const EditRegion& region, std::size_t max_bytes);

}  // namespace redraft
