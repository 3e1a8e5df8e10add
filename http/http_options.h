#pragma once

#include <chrono>
#include <string>

#include "http/api/generation_job.h"

namespace redraft::http {

// How long a client may take.
struct TimeLimits {
  std::chrono::milliseconds head{15'000};  // to send the first request's head
  std::chrono::milliseconds idle{60'000};  // to send the next one's
  std::chrono::milliseconds body{30'000};
  std::chrono::milliseconds write{30'000};  // to take the available part of an answer
  std::chrono::milliseconds drain{2'000};   // to close the connection after the answer
};

// What a server requires of its clients and tells them.
struct HttpOptions {
  std::string token = {};  // that clients must show; empty if none is needed
  std::string model = {};  // the model's name, for clients
  // The model's length in tokens while it is not loaded; 0 if unknown.
  int context_length = 0;
  GenerationChoices generation = {};
  TimeLimits limits = {};
};

}  // namespace redraft::http
