// The region of an instruction that adds a part to something
//
// "add a case for quit" at a cursor in one `case`: the lines of that case are the default region,
// but what the instruction adds to is the switch. A part is one of a few words behind a verb that
// adds: "add a case", "support another flag", "introduce a private field".
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "languages/container_types.h"
#include "support/byte_range.h"
#include "workspace/documents/document.h"

namespace redraft {

// What the instruction adds first; nothing: it adds none of these parts.
std::optional<AddedPart> added_part(std::string_view instruction);

// The whole lines that the instruction is about for a cursor at `cursor`, if these are more than
// `region`, the lines that are chosen without an instruction, and have at most `max_bytes`. Parses
// the document.
std::optional<ByteRange> region_to_add_to(const Document& document, std::size_t cursor,
                                          const ByteRange& region, std::string_view instruction,
                                          std::size_t max_bytes);

}  // namespace redraft
