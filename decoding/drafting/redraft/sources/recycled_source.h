#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses what the target predicted after the same token of another draft, right or wrong.
std::unique_ptr<GuessSource> recycled_source(const SourceInputs& inputs);

}  // namespace redraft
