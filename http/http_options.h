#pragma once

#include <chrono>
#include <string>

#include "http/api/generation_job.h"

namespace redraft::http {

// How long a client may take.
struct TimeLimits {
  std::chrono::milliseconds head{15'000};  // to send the first request's head
  std::chrono::milliseconds idle{60'000};  // the next one's
  std::chrono::milliseconds body{30'000};
  std::chrono::milliseconds write{30'000};  // to take what is ready of an answer
  std::chrono::milliseconds drain{2'000};   // to end the connection once all is said
};

// What a server is asked for and may answer.
struct HttpOptions {
  std::string token = {};  // that clients show; empty: none is needed
  std::string model = {};  // the name of the model, for clients
  // Of the model, in tokens, as long as it is not loaded; 0: not known then.
  int context_length = 0;
  GenerationChoices generation = {};
  TimeLimits limits = {};
};

}  // namespace redraft::http
