#pragma once

#include <optional>
#include <string>

#include "support/files/file_handle.h"

namespace redraft {

// Descriptors that no program started by this one inherits: they are closed on exec from the moment
// they exist. Without a handle, errno says why.

// A stream socket of the address family `domain` (AF_UNIX, AF_INET).
FileHandle make_stream_socket(int domain);
// The next connection to a listening socket.
FileHandle accept_connection(int listener);

struct Pipe {
  FileHandle read_end;
  FileHandle write_end;
};
std::optional<Pipe> make_pipe();

// Closes all descriptors from `first` on. Makes system calls only, so that it may be called between
// fork and exec.
void close_descriptors_from(int first);

// A path to the open folder `descriptor`, which stays valid if the folder is renamed.
std::string path_of_open_folder(int descriptor);

// Whether the other end of a unix domain socket is a process of this user.
bool is_own_peer(int socket);

// Flags of send() and sendmsg(): no signal if the other end is closed. Of recvmsg(): descriptors
// that arrive are closed on exec.
extern const int kSendWithoutSignal;
extern const int kReceiveClosedOnExec;

}  // namespace redraft
