#pragma once

#include <optional>

#include "support/files/file_handle.h"

namespace redraft::lsp {

// What a `redraft lsp` sends to the shared server over its socket (attach.h): one byte, along with
// its standard input and output. The server answers kTaken before it reads from them, and the exit
// code as a second byte when the client has left.
inline constexpr char kTaken = 'R';

struct HandedOver {
  FileHandle in, out;
};

bool hand_over(int socket, int in_fd, int out_fd);
// None if anything else was received.
std::optional<HandedOver> take_over(int socket);

}  // namespace redraft::lsp
