#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "mcp/line_reader.h"
#include "mcp/message.h"
#include "support/result.h"

namespace redraft::mcp {

// The client at the other end of two descriptors: messages in, messages out. Single-threaded.
class Client {
 public:
  // The descriptors stay open and belong to the caller.
  Client(int in_fd, int out_fd) : in_(in_fd), out_(out_fd) {}

  // Waits until there is input, until `other` (-1: none) is readable, or for `limit` (negative:
  // forever), and reads what there is. Returns whether `other` is readable.
  bool pump(int other, std::chrono::milliseconds limit);
  // The next message that was read.
  struct Received {
    Result<Json> message;  // an error answers a line of the client that was none
    std::size_t bytes = 0;
  };
  std::optional<Received> next();
  // The client sends nothing more. Messages that were read before may be left.
  bool at_end() const { return at_end_; }

  // Blocks while the client does not read. Does nothing once it is gone.
  void send(const Json& message);
  bool is_gone() const { return is_gone_; }

 private:
  void read();
  void keep(Line line);

  int in_;
  int out_;
  LineReader reader_;
  std::deque<Line> lines_;
  std::size_t bytes_ = 0;  // of these
  bool at_end_ = false;
  bool is_gone_ = false;
};

}  // namespace redraft::mcp
