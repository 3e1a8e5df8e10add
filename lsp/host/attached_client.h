#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>

#include "lsp/host/session_host.h"
#include "support/files/file_handle.h"

namespace redraft::lsp {

// The server's side of attach.h: takes over a client's standard input and output from the process
// that its editor started, serves the client, and reports the exit code to that process. Ends when
// either of them ends. Keeps itself alive; the host outlives it.
class AttachedClient : public std::enable_shared_from_this<AttachedClient> {
 public:
  AttachedClient(SessionHost& host, FileHandle connection);
  void start();

 private:
  void take_client();
  void await_departure();
  void close();

  SessionHost& host_;
  boost::asio::posix::stream_descriptor connection_;
  boost::asio::steady_timer limit_;
  std::optional<SessionHost::SessionId> session_;
};

}  // namespace redraft::lsp
