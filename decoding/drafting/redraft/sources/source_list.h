#pragma once

#include <span>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Every source of the decoder `redraft`, in the order in which they are called: among equally
// likely guesses, the first one made counts as the likeliest. How to add one: source_list.cpp.
std::span<const SourceMaker> all_sources();

}  // namespace redraft
