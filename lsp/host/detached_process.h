#pragma once

#include <string>
#include <vector>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::lsp {

// Starts a program that outlives this one. It runs in its own session, so that no signal to our
// process group or terminal reaches it, and it is not our child, so that a tool that ends a process
// and its children does not end it. It has no input, `log` as its stderr, "/" as its working
// directory and none of our other open files. Returns its stdout; an immediate end of that may mean
// that the program could not be run.
Result<FileHandle> start_detached(const std::vector<std::string>& command, int log);

}  // namespace redraft::lsp
