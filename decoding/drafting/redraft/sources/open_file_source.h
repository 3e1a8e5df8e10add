#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses the tokens that followed the longest ends of the output in the other open files.
std::unique_ptr<GuessSource> open_file_source(const SourceInputs& inputs);
// The same for the parts of the file being written that the prompt does not show.
std::unique_ptr<GuessSource> rest_of_file_source(const SourceInputs& inputs);

}  // namespace redraft
