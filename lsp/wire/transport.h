#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/wire/framing.h"

namespace redraft::lsp {

// Moves framed messages between two file descriptors and the server, on the thread that runs `io`.
// Works with pipes, sockets, terminals and regular files.
//
// A client that does not read what we write must not make us grow without end: past kCongested
// bytes in the queue congested() asks to leave out what can be left out, past kFull no further
// input is read until the queue has halved.
class Transport {
 public:
  struct Handlers {
    std::function<void(std::string content)> on_message;
    // One that was too long to be read; what comes after it is read as before.
    std::function<void(const UnreadMessage&)> on_unread;
    // The client's bytes are malformed; nothing is read any more.
    std::function<void(const Error&)> on_malformed;
    // The client is gone: end of input or nobody to write to. Nothing is read any more.
    std::function<void()> on_gone;
  };

  // Takes the descriptors as they are and puts their flags back in the end; closing them is the
  // caller's affair. `io` may go on when the transport has gone: nothing is called any more.
  Transport(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  void start();
  void send(std::string_view content);
  bool congested() const;
  // Of what is read from now on.
  void limit_messages(const FrameLimits& limits);
  // Stops reading; calls `done` when everything sent is written, nobody reads it, or after `limit`.
  void finish(std::chrono::milliseconds limit, std::function<void()> done);

 private:
  class Flow;
  std::shared_ptr<Flow> flow_;
};

}  // namespace redraft::lsp
