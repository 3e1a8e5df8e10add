#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses the original from where the output is in it, with the substitutions made before; out of
// sync, from the places where it may continue.
std::unique_ptr<GuessSource> original_source(const SourceInputs& inputs);

}  // namespace redraft
