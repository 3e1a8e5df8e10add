#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "support/files/file_handle.h"

namespace redraft::lsp {

// Accepts connections on a listening socket, on the thread that runs `io`. Destroyed only after
// `io` has run for the last time.
class Listener {
 public:
  using OnConnection = std::function<void(FileHandle)>;
  // The caller keeps ownership of `socket`.
  Listener(boost::asio::io_context& io, int socket, OnConnection on_connection);

 private:
  void wait();
  void accept();

  boost::asio::posix::stream_descriptor socket_;
  boost::asio::steady_timer pause_;
  OnConnection on_connection_;
};

}  // namespace redraft::lsp
