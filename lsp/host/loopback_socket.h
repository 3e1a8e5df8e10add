#pragma once

#include <string>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::lsp {

// A TCP socket that listens on the loopback interface only.
struct LoopbackSocket {
  FileHandle socket;
  int port = 0;
};
// `port` 0: any free port.
Result<LoopbackSocket> listen_on_loopback(int port);

// Disables Nagle's algorithm: small messages are sent at once.
void send_without_delay(int connection);

}  // namespace redraft::lsp
