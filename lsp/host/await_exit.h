#pragma once

namespace redraft::lsp {

// Waits for the shared server that serves the client of this process and returns the exit code that
// it says. The server sees by itself when the client closes `in_fd`, but one that hangs does not.
//
// Needs nothing but the system: it is all that redraft-attached does.
int await_exit(int connection, int in_fd);

}  // namespace redraft::lsp
