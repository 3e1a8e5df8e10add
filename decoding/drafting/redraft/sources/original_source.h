#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// In sync, guesses the original at the output's position in it, with the substitutions made before.
// Out of sync, guesses from the positions where the original may continue.
std::unique_ptr<GuessSource> original_source(const SourceInputs& inputs);

}  // namespace redraft
