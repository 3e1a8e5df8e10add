#pragma once

#include <stop_token>
#include <thread>

namespace redraft::cli {

// While one lives, the first SIGINT or SIGTERM asks the work in hand to stop (it does within one
// forward pass) and the second ends the process at once. One at a time.
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
