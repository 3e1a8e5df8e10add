#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses the tokens that followed the longest ends of the output earlier in prompt and output.
std::unique_ptr<GuessSource> copy_source(const SourceInputs& inputs);

}  // namespace redraft
