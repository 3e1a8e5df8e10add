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
// A client that reads too slowly must not make our memory grow without limit. Beyond kCongested
// bytes in the queue, congested() tells callers to omit what is optional. Beyond kFull, no further
// input is read until the queue has halved.
//
// Each message gets its own turn of the event loop, so other clients of the same loop wait for at
// most one message, however many this client has sent at once.
// for one message at most, however many this client has sent at once.
class Transport {
 public:
  struct Handlers {
    std::function<void(std::string content)> on_message;
    // A message that was too long to be read; later messages are read as before.
    std::function<void(const UnreadMessage&)> on_unread;
    // The client's bytes are malformed. Nothing more is read.
    std::function<void(const Error&)> on_malformed;
    // The client is gone: end of input, or nobody reads our output. Nothing more is read.
    std::function<void()> on_gone;
  };

  // Uses the descriptors as they are and restores their flags at the end; the caller closes them.
  // `io` may continue to run after the transport is destroyed: no handler is called any more.
  Transport(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  void start();
  void send(std::string_view content);
  bool congested() const;
  // Takes no further message until resume() has been called equally often.
  void hold();
  void resume();
  // Applies to messages that are read from now on.
  void limit_messages(const FrameLimits& limits);
  // Stops reading. Calls `done` once all output is written, nobody reads it, or `limit` has passed.
  void finish(std::chrono::milliseconds limit, std::function<void()> done);

 private:
  class Flow;
  std::shared_ptr<Flow> flow_;
};

}  // namespace redraft::lsp
