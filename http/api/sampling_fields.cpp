#include "http/api/sampling_fields.h"

namespace redraft::http {
namespace {

constexpr double kMaxTemperature = 2;

}  // namespace

SamplingFields read_sampling(RequestFields& fields) {
  SamplingFields sampling;
  sampling.temperature = fields.number("temperature", 0, kMaxTemperature).value_or(0);
  sampling.top_p = fields.number("top_p", 0, 1).value_or(1);
  if (const auto seed = fields.integer("seed", INT64_MIN, INT64_MAX))
    sampling.seed = static_cast<std::uint64_t>(*seed);
  if (sampling.temperature > 0) {
    fields.refuse("temperature",
                  "is not supported above 0: the model's best token is always written",
                  "unsupported_value");
  }
  return sampling;
}

SamplingFields read_llama_sampling(RequestFields& fields) {
  const SamplingFields sampling = read_sampling(fields);
  // They say among which tokens one is drawn. Without a temperature none is.
  for (const char* name : {"top_k", "min_p", "typical_p", "samplers"}) fields.without_effect(name);
  return sampling;
}

}  // namespace redraft::http
