#pragma once

#include <string>
#include <vector>

#include "workspace/documents/document.h"
#include "workspace/edit/edit_request.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// What the request's index knows.
OtherFiles other_files(const EditRequest& request);

// The doubts about these hunks of the document: by its syntax tree, or by its lines if there is
// none. `regions` are what the edit could change; empty: not known. Parses.
std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                const std::vector<Hunk>& hunks,
                                const std::vector<ByteRange>& regions = {},
                                const OtherFiles& others = {});

// Without those that an edit of this kind resolves: a rename removes the old name on purpose, and a
// change that shows what it removes (ChangeOrigin::shows_removed) says itself that it is to go.
std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                EditKind kind, const std::vector<Hunk>& hunks,
                                const OtherFiles& others = {});

// A result with the hunks, the text and the doubts of these edits of the document. `origins` has
// one for each edit; empty: the model wrote all of them. Parses.
EditResult result_of(const Document& document, const std::string& instruction,
                     const std::vector<TextEdit>& edits, EditKind kind = EditKind::kRegion,
                     const std::vector<ChangeOrigin>& origins = {}, const OtherFiles& others = {});

}  // namespace redraft
