#pragma once

#include <cstdint>
#include <optional>

#include "http/api/request_fields.h"

namespace redraft::http {

// How the next token is chosen: the one place that reads the fields for it. Without a temperature
// the model's own best token is written, and what only says how to choose among several
// (`top_p`, `seed`, …) cannot change it.
struct SamplingFields {
  double temperature = 0;
  double top_p = 1;
  std::optional<std::uint64_t> seed = {};
};

// Those of OpenAI's interface.
SamplingFields read_sampling(RequestFields& fields);
// Those of llama.cpp, in addition.
SamplingFields read_llama_sampling(RequestFields& fields);

}  // namespace redraft::http
