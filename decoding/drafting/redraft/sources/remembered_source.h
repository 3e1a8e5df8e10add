#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses the tokens that followed the longest ends of the output in the output of earlier
// requests. Stores the output of this one.
std::unique_ptr<GuessSource> remembered_source(const SourceInputs& inputs);

}  // namespace redraft
