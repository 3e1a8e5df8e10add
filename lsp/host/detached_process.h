#pragma once

#include <string>
#include <vector>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::lsp {

// Starts a program that outlives this one: in a session of its own, so that no signal to our group
// or terminal reaches it, and not as our child, so that it does not go with those who end a process
// and its children. It has no input, `log` as its stderr, "/" as its folder and nothing else of
// what is open here. Returns what it writes to its stdout; the end of that at once may mean that it
// could not be run.
Result<FileHandle> start_detached(const std::vector<std::string>& command, int log);

}  // namespace redraft::lsp
