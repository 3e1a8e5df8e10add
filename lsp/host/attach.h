#pragma once

#include <string>
#include <vector>

#include "support/result.h"

namespace redraft::lsp {

struct AttachOptions {
  // Servers with the same key serve the same, so that one of them is enough: a short name.
  std::string key;
  // Starts one that takes clients over; the path of its socket is appended. See
  // ListenOptions::kAttached.
  std::vector<std::string> command;
  // The program redraft-attached, which this process becomes in order to wait with little memory;
  // empty, or not there: it waits as it is.
  std::string waiter = {};
};

// Has this process's client served by a server that other processes attach to as well, so that they
// hold one model in memory; where none runs, one is started. It reads and writes our standard input
// and output by itself: this process only waits, and ends the client when it is killed.
//
// Returns the exit code, once the client has left. The error says why no server can be had; nothing
// has been read from `in_fd` then.
Result<int> attach(const AttachOptions& options, int in_fd, int out_fd);

}  // namespace redraft::lsp
