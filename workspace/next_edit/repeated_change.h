// Repeats a change of the user wherever the same lines occur.
//
// Much of what follows from a change is the change itself: a loop header that is written another
// way, a call that gets another argument, in one test after the other. Where exactly the lines that
// the user replaced occur again, the result is known at once and needs no model. A model of 1.5B
// often leaves such a line unchanged, because everything in its prompt repeats it.
//
// Lines that are not the same may follow two lines that were changed alike (see LineRewrite).
//
// It proposes one place at a time, the next one in reading order. Accepting a place leads to the
// next; passing one over ends the series.
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

// `known`: words whose meaning is known, so that lines with one of them are not examples.
// `documents`: the user's first; a document of more than kMaxBytesCompared is not searched. Linear
// in the text of the documents, for each of a few examples and rules; ends early when `stop` is
// requested. Runs on the calling thread; does not fail.
//
// Lines count as the same if they are equal (indentation may differ for lines that did not change)
// and have some words. Lines that became more lines, only moved, or were only reindented are not
// examples. Neither is a change after which brackets do not match (the user is still typing).
// Deleted lines are an example if that happened twice, as are lines in which only numbers, versions
// or strings were replaced, and an added line if the lines above and below it are the same, too. If
// one of the same lines between two changed ones was passed over, the series has ended. The same
// holds for a line that would be rewritten as two others were.
std::optional<CertainEdit> find_repeated_change(
    const std::vector<RecentChange>& recent,
    const std::vector<std::shared_ptr<const Document>>& documents,
    const std::set<std::string>& known, const IsUnwanted& is_unwanted,
    const std::stop_token& stop = {});

}  // namespace redraft
