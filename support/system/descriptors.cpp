#include "support/system/descriptors.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace redraft {

const int kSendWithoutSignal = MSG_NOSIGNAL;
const int kReceiveClosedOnExec = MSG_CMSG_CLOEXEC;

FileHandle make_stream_socket(int domain) {
  return FileHandle(::socket(domain, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

FileHandle accept_connection(int listener) {
  return FileHandle(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
}

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileHandle(ends[0]), FileHandle(ends[1])};
}

void close_descriptors_from(int first) { ::close_range(static_cast<unsigned>(first), ~0U, 0); }

std::string path_of_open_folder(int descriptor) {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

bool is_own_peer(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

}  // namespace redraft
