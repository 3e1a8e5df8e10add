#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses what the draft model proposes for the current pass.
std::unique_ptr<GuessSource> proposal_source(const SourceInputs& inputs);

}  // namespace redraft
