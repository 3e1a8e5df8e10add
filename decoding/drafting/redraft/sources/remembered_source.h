#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses what followed the longest ends of the output in what earlier requests wrote; stores what
// this one writes.
std::unique_ptr<GuessSource> remembered_source(const SourceInputs& inputs);

}  // namespace redraft
