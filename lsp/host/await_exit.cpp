#include "lsp/host/await_exit.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace redraft::lsp {
namespace {

// Time for a server to notice that the client has closed its end.
constexpr int kEndMilliseconds = 5000;

int fail(std::string_view message) {
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  return 1;
}

int read_code(int connection) {
  char code = 0;
  ssize_t count = 0;
  while ((count = ::read(connection, &code, 1)) < 0 && errno == EINTR) {
  }
  return count == 1 ? code : fail("redraft: error: the server that others share has ended\n");
}

}  // namespace

int await_exit(int connection, int in_fd) {
  pollfd waits[] = {{connection, POLLIN, 0}, {in_fd, 0, 0}};
  while (true) {
    const bool client_is_gone = waits[1].fd < 0;
    const int ready = ::poll(waits, 2, client_is_gone ? kEndMilliseconds : -1);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return fail("redraft: error: the server that others share hangs\n");
    if (waits[0].revents != 0) return read_code(connection);
    waits[1].fd = -1;
  }
}

}  // namespace redraft::lsp
