#include "http/api/sampling_fields.h"

#include <random>

namespace redraft::http {
namespace {

// The seed need not be secret.
std::uint64_t any_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

SamplingOptions read_sampling(RequestFields& fields) {
  SamplingOptions sampling;
  sampling.temperature = fields.number("temperature", 0, kMaxTemperature).value_or(0);
  sampling.top_p = fields.number("top_p", 0, 1).value_or(1);
  const auto seed = fields.integer("seed", INT64_MIN, INT64_MAX);
  if (seed) {
    sampling.seed = static_cast<std::uint64_t>(*seed);
  } else if (!sampling.greedy()) {
    sampling.seed = any_seed();
  }
  return sampling;
}

std::optional<int> read_chat_log_probabilities(RequestFields& fields) {
  const bool wanted = fields.flag("logprobs", false);
  const auto likeliest = fields.integer("top_logprobs", 0, kMaxLikeliest);
  if (!wanted && likeliest.value_or(0) > 0) fields.refuse("top_logprobs", "needs 'logprobs': true");
  return wanted ? std::optional(static_cast<int>(likeliest.value_or(0))) : std::nullopt;
}

std::optional<int> read_log_probabilities(RequestFields& fields) {
  const auto likeliest = fields.integer("logprobs", 0, kMaxLikeliest);
  return likeliest ? std::optional(static_cast<int>(*likeliest)) : std::nullopt;
}

SamplingOptions read_llama_sampling(RequestFields& fields) {
  const SamplingOptions sampling = read_sampling(fields);
  // These fields limit the tokens for sampling. Without a temperature there is no sampling.
  for (const char* name : {"top_k", "min_p", "typical_p", "samplers"}) {
    if (sampling.greedy() || fields.any(name) == nullptr) {
      fields.without_effect(name);
    } else {
      fields.refuse(name, "is not supported with a temperature", "unsupported_parameter");
    }
  }
  return sampling;
}

}  // namespace redraft::http
