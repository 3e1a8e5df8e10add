#pragma once

#include <string>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::lsp {

// A TCP socket that listens on the loopback interface alone.
struct LoopbackSocket {
  FileHandle socket;
  int port = 0;
};
// `port` 0: any that is free.
Result<LoopbackSocket> listen_on_loopback(int port);

// Makes small messages leave at once.
void send_without_delay(int connection);

}  // namespace redraft::lsp
