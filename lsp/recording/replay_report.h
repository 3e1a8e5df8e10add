#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lsp/recording/answer_streams.h"

namespace redraft::lsp {

// What a server said otherwise than the one that was recorded, a line each, in the order of the
// recording.
std::vector<std::string> differences(const AnswerStreams& recorded, const AnswerStreams& replayed);

}  // namespace redraft::lsp
