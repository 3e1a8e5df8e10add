#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// What followed the output's longest ends earlier in prompt and output.
std::unique_ptr<GuessSource> copy_source(const SourceInputs& inputs);

}  // namespace redraft
