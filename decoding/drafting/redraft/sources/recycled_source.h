#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses the target's predictions after the same token in another draft, right or wrong.
std::unique_ptr<GuessSource> recycled_source(const SourceInputs& inputs);

}  // namespace redraft
