#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lsp/recording/answer_streams.h"

namespace redraft::lsp {

// Where the replayed server's messages differ from the recorded ones, one line per difference, in
// the order of the recording.
std::vector<std::string> differences(const AnswerStreams& recorded, const AnswerStreams& replayed);

}  // namespace redraft::lsp
