#pragma once

#include <string>
#include <vector>

#include "workspace/documents/document.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// The doubts about these hunks of the document: by its syntax tree, or by its lines if there is
// none. `regions` are what the edit could change; empty: not known. Parses.
std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                const std::vector<Hunk>& hunks,
                                const std::vector<ByteRange>& regions = {});

// A result with the hunks, the text and the doubts of these edits of the document. Parses.
EditResult result_of(const Document& document, const std::string& instruction,
                     const std::vector<TextEdit>& edits);

}  // namespace redraft
