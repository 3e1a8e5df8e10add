#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// What followed them in what earlier requests wrote; remembers what this one writes.
std::unique_ptr<GuessSource> remembered_source(const SourceInputs& inputs);

}  // namespace redraft
