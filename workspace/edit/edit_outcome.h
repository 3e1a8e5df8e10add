#pragma once

#include <string>
#include <vector>

#include "workspace/documents/document.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// What the request's index knows.
OtherFiles other_files(const EditRequest& request);

// The doubts about these hunks of the document. Empty if its language is unknown. Parses.
std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                const std::vector<Hunk>& hunks, const OtherFiles& others = {});

// A result with the hunks, the text and the doubts of these edits of the document. Parses.
EditResult result_of(const Document& document, const std::string& instruction,
                     const std::vector<TextEdit>& edits, const OtherFiles& others = {});

}  // namespace redraft
