#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// The original from where the output stands in it, with what was substituted in it before; out of
// sync, the places where it may go on.
std::unique_ptr<GuessSource> original_source(const SourceInputs& inputs);

}  // namespace redraft
