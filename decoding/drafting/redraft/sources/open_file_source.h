#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// What followed them in the other open files.
std::unique_ptr<GuessSource> open_file_source(const SourceInputs& inputs);

}  // namespace redraft
