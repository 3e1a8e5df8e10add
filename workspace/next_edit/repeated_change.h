// A change that the user made to some lines, made once more where the same lines stand.
//
// Much of what follows from a change is the change itself: a loop header that is written another
// way, a call that gets another argument, in one test after the other. Where the very lines that
// the user replaced stand again, no model has to be asked what becomes of them, and the answer is
// there at once. A model of 1.5B often leaves such a line as it is, since all that it is shown
// repeats it.
//
// Lines that are not the same follow two that were changed alike (see LineRewrite).
//
// One place is proposed at a time, the next one in reading order: who accepts it is asked about the
// one after it, and who passes one over ends the series.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "workspace/documents/change_history.h"
#include "workspace/documents/document.h"
#include "workspace/next_edit/certain_edit.h"

namespace redraft {

// `known`: words about which more is known than their spelling, so that lines with one of them are
// no example. `documents`: the user's first; one of more than kMaxBytesCompared is not searched.
// Linear in the text of the documents, for each of a few examples and rules; ends early when `stop`
// is requested. No thread of its own, no error.
//
// What counts as the same lines: all of them but for what they are indented by, if they are not
// among the changed ones, and have some words. Lines that became more, that only moved, or were
// only indented anew are no example, and neither is a change after which brackets do not match any
// more (it is still being typed). Lines that were deleted are one if that happened twice, and a
// line that was added if those above and below it are the same, too. Where one of the same lines
// was passed over between two that were changed, the series has ended; likewise one that would be
// rewritten as two others were.
std::optional<CertainEdit> find_repeated_change(
    const std::vector<RecentChange>& recent,
    const std::vector<std::shared_ptr<const Document>>& documents,
    const std::set<std::string>& known, const IsUnwanted& is_unwanted,
    const std::stop_token& stop = {});

}  // namespace redraft
