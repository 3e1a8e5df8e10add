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
  int status = 0;            // of HTTP
  std::string refusal = {};  // the body of a status that is not 2xx, its beginning
  std::optional<std::chrono::seconds> retry_after = {};  // as the server wishes
  bool closed_by_us = false;                             // the receiver or the stop token ended it
};

// Speaks to one HTTP server. Used by one thread, but an exchange may begin within another one's
// `on_data`.
class Exchange {
 public:
  // Takes the body of a 2xx answer as it arrives, in pieces of any size. False closes the
  // connection.
  using OnData = std::function<bool(std::string_view)>;

  virtual ~Exchange() = default;
  // An error if there was no answer, or if it broke off: the reason, for people.
  virtual Result<ExchangeEnd> run(const ExchangeRequest& request, const OnData& on_data,
                                  const std::stop_token& stop) = 0;
};

}  // namespace redraft
