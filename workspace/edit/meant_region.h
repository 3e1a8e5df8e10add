#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "support/byte_range.h"
#include "workspace/documents/document.h"

namespace redraft {

// What an instruction for the blank line at `offset` is about, if not about new lines there: "sort
// the imports" about the imports next to it, "add a docstring" about the definition below it. Whole
// lines of at most `max_bytes`. Parses the document.
std::optional<ByteRange> lines_meant_beside(const Document& document, std::size_t offset,
                                            std::string_view instruction, std::size_t max_bytes);

}  // namespace redraft
