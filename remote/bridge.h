#pragma once

#include <string>

#include "remote/http_fetch.h"
#include "support/result.h"

namespace redraft {

// The process that connects to a remote server. Only this process has the key and opens
// connections. It sees prompts and answers but no files. The process with the documents is at the
// other end of `socket` and sends requests in frames (frames.h). Each exchange has its own
// connection.
//
// Returns when the other end is closed. An error if it sends anything but frames. Runs on the
// calling thread.
Result<void> run_bridge(int socket, const FetchOptions& options);

}  // namespace redraft
