#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "lsp/wire/json.h"

namespace redraft::lsp {

enum class TraceLevel { kOff, kMessages, kVerbose };

// Traces the messages between client and server for `$/logTrace`: which message and, if verbose,
// its size and how long the answer took. It never traces content, which is the user's text. Main
// thread.
class Tracer {
 public:
  using Clock = std::chrono::steady_clock;

  // `log` takes the params of `$/logTrace`.
  explicit Tracer(std::function<void(Json params)> log) : log_(std::move(log)) {}

  void set_level(TraceLevel level);
  TraceLevel level() const { return level_; }

  void received(const Json& message, std::size_t bytes) { tell("Received", message, bytes); }
  void sent(const Json& message, std::size_t bytes) { tell("Sent", message, bytes); }

 private:
  struct Asked {
    std::string method;
    Clock::time_point when;
  };

  void tell(std::string_view direction, const Json& message, std::size_t bytes);

  std::function<void(Json params)> log_;
  TraceLevel level_ = TraceLevel::kOff;
  // Unanswered requests by id: the client's, and ours.
  std::map<Json, Asked> theirs_, ours_;
};

}  // namespace redraft::lsp
