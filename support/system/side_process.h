#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft {

// A program that works for this process, at the other end of a socket.
struct SideProcess {
  FileHandle socket;
  pid_t id = 0;
};

// The descriptor at which such a program finds its socket.
inline constexpr int kSideSocket = 3;

// Starts `command`, a program and its arguments, with a unix domain socket of `socket_type`
// (SOCK_STREAM, SOCK_SEQPACKET). It inherits stderr and whatever is not close-on-exec: it should
// first close all descriptors above kSideSocket (close_descriptors_from()). It is in a new session,
// so that Ctrl-C only reaches this process, which then ends it cleanly. `environment`: lines
// NAME=VALUE; nullopt: this process's.
Result<SideProcess> start_side_process(
    const std::vector<std::string>& command, int socket_type,
    const std::optional<std::vector<std::string>>& environment = {});

// Waits until a child has ended.
void wait_for_end(pid_t child);

}  // namespace redraft
