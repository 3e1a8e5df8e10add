#include "lsp/host/listener.h"

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "support/log/log.h"
#include "support/system/descriptors.h"

namespace redraft::lsp {
namespace {

// The pause after an error that will persist for a while: no descriptors, no memory.
constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

Listener::Listener(boost::asio::io_context& io, int socket, OnConnection on_connection)
    : socket_(io, ::fcntl(socket, F_DUPFD_CLOEXEC, 0)),
      pause_(io),
      on_connection_(std::move(on_connection)) {
  socket_.non_blocking(true);
  wait();
}

void Listener::wait() {
  socket_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                     [this](const boost::system::error_code& error) {
                       if (!error) accept();
                     });
}

void Listener::accept() {
  FileHandle connection = accept_connection(socket_.native_handle());
  if (connection) {
    on_connection_(std::move(connection));
  } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
    logging::error("a client cannot connect: {}", std::strerror(errno));
    pause_.expires_after(kPause);
    pause_.async_wait([this](const boost::system::error_code& error) {
      if (!error) wait();
    });
    return;
  }
  wait();
}

}  // namespace redraft::lsp
