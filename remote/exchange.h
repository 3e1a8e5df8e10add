#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "support/result.h"

namespace redraft {

struct ExchangeRequest {
  std::string method;  // "GET" or "POST"
  std::string path;    // "/v1/models"
  std::string body;    // JSON; empty for GET
};

// How an exchange ended.
struct ExchangeEnd {
  int status = 0;            // HTTP status
  std::string refusal = {};  // the beginning of the body, if the status is not 2xx
  std::optional<std::chrono::seconds> retry_after = {};  // as the server requests
  bool closed_by_us = false;                             // the receiver or the stop token ended it
};

// Talks to one HTTP server. Used by one thread, but an exchange may start within the `on_data` of
// another one.
class Exchange {
 public:
  // Takes the body of a 2xx answer as it arrives, in pieces of any size. Returning false closes the
  // connection.
  using OnData = std::function<bool(std::string_view)>;

  virtual ~Exchange() = default;
  // An error, with the reason as a message for users, if there was no answer or if it broke off.
  virtual Result<ExchangeEnd> run(const ExchangeRequest& request, const OnData& on_data,
                                  const std::stop_token& stop) = 0;
};

}  // namespace redraft
