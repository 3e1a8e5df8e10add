#include "lsp/host/loopback_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "support/system/descriptors.h"
#include "support/system_error.h"

namespace redraft::lsp {
namespace {

constexpr int kBacklog = 64;

}  // namespace

Result<LoopbackSocket> listen_on_loopback(int port) {
  const int on = 1;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  const auto generic = reinterpret_cast<sockaddr*>(&address);
  FileHandle socket = make_stream_socket(AF_INET);
  // So that a port can be used again while connections of its last server are in TIME_WAIT.
  if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.get(), generic, size) != 0 || ::listen(socket.get(), kBacklog) != 0 ||
      ::getsockname(socket.get(), generic, &size) != 0)
    return system_error("port " + std::to_string(port));
  return LoopbackSocket{std::move(socket), ntohs(address.sin_port)};
}

void send_without_delay(int connection) {
  const int on = 1;
  ::setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace redraft::lsp
