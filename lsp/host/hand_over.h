#pragma once

#include <optional>

#include "support/files/file_handle.h"

namespace redraft::lsp {

// What a `redraft lsp` says to the shared server over its socket (attach.h): one byte, which brings
// its standard input and output. The server answers with one byte, kTaken, before it reads from
// them, and with the exit code as a second one when its client has left.
inline constexpr char kTaken = 'R';

struct HandedOver {
  FileHandle in, out;
};

bool hand_over(int socket, int in_fd, int out_fd);
// None when it is anything else that came.
std::optional<HandedOver> take_over(int socket);

}  // namespace redraft::lsp
