#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <string>

#include "lsp/framing.h"

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
    // The client's bytes are malformed; nothing is read any more.
    std::function<void(const Error&)> on_malformed;
    // The client is gone: end of input or nobody to write to. Nothing is read any more.
    std::function<void()> on_gone;
  };

  // Takes the descriptors as they are and puts their flags back in the end; closing them is the
  // caller's affair.
  Transport(boost::asio::io_context& io, int in_fd, int out_fd, Handlers handlers);
  ~Transport();
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;

  void start();
  void send(std::string_view content);
  bool congested() const { return queued_bytes_ > kCongested; }
  // Stops reading; calls `done` when everything sent is written, nobody reads it, or after `limit`.
  void finish(std::chrono::milliseconds limit, std::function<void()> done);

 private:
  static constexpr std::size_t kCongested = 1 << 20;
  static constexpr std::size_t kFull = 64 << 20;

  void read();
  void received(std::size_t count);
  void write();
  void written(const boost::system::error_code& error);
  void gone();
  void call_done();

  boost::asio::posix::stream_descriptor in_;
  boost::asio::posix::stream_descriptor out_;
  boost::asio::steady_timer limit_;
  int in_flags_;
  int out_flags_;
  Handlers handlers_;
  FrameReader frames_;
  std::array<char, 64 << 10> chunk_;
  std::deque<std::string> queue_;  // the front is being written
  std::size_t queued_bytes_ = 0;
  bool reading_ = false;  // a read is under way
  bool closed_ = false;   // no more input is wanted
  std::function<void()> done_;
};

}  // namespace redraft::lsp
