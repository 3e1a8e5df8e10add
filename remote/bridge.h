#pragma once

#include <string>

#include "remote/http_fetch.h"
#include "support/result.h"

namespace redraft {

// The process that speaks to a remote server. It alone has the key and opens connections; it sees
// prompts and answers, and no file. The process with the documents is at the other end of `socket`,
// and says what to send in frames (frames.h). Every exchange has a connection of its own.
//
// Returns once the other end is closed; an error if what comes from there is no frame. On one
// thread, which this takes.
Result<void> run_bridge(int socket, const FetchOptions& options);

}  // namespace redraft
