#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses what the draft model proposes for the current pass.
std::unique_ptr<GuessSource> model_proposal_source(const SourceInputs& inputs);
// Guesses what the target's draft head proposes for the current pass.
std::unique_ptr<GuessSource> head_proposal_source(const SourceInputs& inputs);

}  // namespace redraft
