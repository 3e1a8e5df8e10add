#pragma once

namespace redraft::lsp {

// Waits for the shared server that serves this process's client, and returns the exit code that it
// reports. The server notices by itself when the client closes `in_fd`; a server that hangs does
// not.
//
// Depends on the operating system alone, because the program redraft-attached does nothing else.
int await_exit(int connection, int in_fd);

}  // namespace redraft::lsp
