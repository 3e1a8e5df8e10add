#pragma once

#include <optional>
#include <string>

#include "support/files/file_handle.h"

namespace redraft {

// Descriptors that no program started by this one inherits: they are close-on-exec from the start.
// If the returned handle is empty, errno gives the reason.

// A stream socket of the address family `domain` (AF_UNIX, AF_INET).
FileHandle make_stream_socket(int domain);
// The next connection to a listening socket.
FileHandle accept_connection(int listener);

struct Pipe {
  FileHandle read_end;
  FileHandle write_end;
};
std::optional<Pipe> make_pipe();

// Closes all descriptors from `first` on. Only makes system calls, so it may be called between fork
// and exec.
void close_descriptors_from(int first);

// A path to the open folder `descriptor`, which stays valid if the folder is renamed.
std::string path_of_open_folder(int descriptor);

// Whether the other end of a unix domain socket is a process of this user.
bool is_own_peer(int socket);

// Flags of send() and sendmsg(): no signal if the other end is closed. Flags of recvmsg(): received
// descriptors are close-on-exec.
extern const int kSendWithoutSignal;
extern const int kReceiveClosedOnExec;

}  // namespace redraft
