#pragma once

#include <stop_token>
#include <thread>

namespace redraft::cli {

// While one exists, the first SIGINT or SIGTERM stops the current work (within one forward pass),
// and the second ends the process at once. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool interrupted() const { return source_.stop_requested(); }

 private:
  std::stop_source source_;
  std::jthread listener_;
};

}  // namespace redraft::cli
