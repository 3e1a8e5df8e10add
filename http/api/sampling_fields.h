#pragma once

#include <optional>

#include "decoding/sampling.h"
#include "http/api/request_fields.h"

namespace redraft::http {

// How the next token is chosen: the one place that reads the fields for it. Without a temperature
// the model's own best token is written, and what only says how to choose among several
// (`top_p`, `seed`, …) cannot change it. With one and without a seed each request has another.

// Those of OpenAI's interface.
SamplingOptions read_sampling(RequestFields& fields);
// How many likeliest tokens are told beside how likely each one was; none: nothing is. `logprobs`
// and `top_logprobs` of a chat; of a completion `logprobs` is a number.
std::optional<int> read_chat_log_probabilities(RequestFields& fields);
std::optional<int> read_log_probabilities(RequestFields& fields);
// Those of llama.cpp, in addition. With a temperature, those that redraft does not have are
// refused.
SamplingOptions read_llama_sampling(RequestFields& fields);

}  // namespace redraft::http
