#pragma once

#include <stop_token>

#include "remote/exchange.h"

namespace redraft {

// How long a client keeps retrying a server that is busy or fails temporarily (429, 500, 502, 503,
// 504).
class Patience {
 public:
  // `ms` is the total time.
  explicit Patience(int ms) : left_ms_(ms) {}

  // Waits as long as the server requests, or 0.5, 1, 2 s and so on, or until `stop`. Returns false
  // at once if a retry is useless or the time is used up.
  bool wait_after(const ExchangeEnd& end, const std::stop_token& stop);
  // The server has answered: the next wait is short again.
  void answered() { attempt_ = 0; }

 private:
  int left_ms_;
  int attempt_ = 0;
};

}  // namespace redraft
