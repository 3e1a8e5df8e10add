#pragma once

#include <memory>

#include "decoding/drafting/redraft/sources/guess_source.h"

namespace redraft {

// Guesses what followed the longest ends of the output in the other open files.
std::unique_ptr<GuessSource> open_file_source(const SourceInputs& inputs);
// The same in what the prompt does not show of the file that is being written.
std::unique_ptr<GuessSource> rest_of_file_source(const SourceInputs& inputs);

}  // namespace redraft
