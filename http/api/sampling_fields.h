#pragma once

#include <optional>

#include "decoding/sampling.h"
#include "http/api/request_fields.h"

namespace redraft::http {

// How the next token is chosen; only this file reads the fields for it. Without a temperature the
// model's best token is written, and fields that only choose among several (`top_p`, `seed`, …)
// have no effect. With a temperature and no seed, each request gets a different seed.

// The fields of OpenAI's and llama.cpp's interfaces. Rejected are those that redraft does not
// support, unless their value has no effect.
SamplingOptions read_sampling(RequestFields& fields);
// How many of the likeliest tokens are reported beside each token's own probability; nothing if
// none is requested. In a chat these are `logprobs` and `top_logprobs`; in a completion `logprobs`
// is a number.
std::optional<int> read_chat_log_probabilities(RequestFields& fields);
std::optional<int> read_log_probabilities(RequestFields& fields);

}  // namespace redraft::http
