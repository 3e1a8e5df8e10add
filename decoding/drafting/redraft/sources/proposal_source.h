#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// What the draft model proposes for the pass that is drafted.
std::unique_ptr<GuessSource> proposal_source(const SourceInputs& inputs);

}  // namespace redraft
