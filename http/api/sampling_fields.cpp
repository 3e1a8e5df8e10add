#include "http/api/sampling_fields.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>

namespace redraft::http {
namespace {

// The seed need not be secret.
std::uint64_t any_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

// llama.cpp's steps of sampling, each with the letter that stands for it where `samplers` is a
// string.
constexpr std::array<std::pair<char, std::string_view>, 9> kSteps = {{{'e', "penalties"},
                                                                      {'d', "dry"},
                                                                      {'s', "top_n_sigma"},
                                                                      {'k', "top_k"},
                                                                      {'y', "typ_p"},
                                                                      {'p', "top_p"},
                                                                      {'m', "min_p"},
                                                                      {'x', "xtc"},
                                                                      {'t', "temperature"}}};

std::optional<std::string> step_of(const Json& name) {
  if (name == "typical_p") return "typ_p";
  const auto known = std::ranges::find_if(kSteps, [&](const auto& step) {
    return name == std::string(step.second) || name == std::string(1, step.first);
  });
  return known == kSteps.end() ? std::nullopt : std::optional(std::string(known->second));
}

// `samplers` lists the steps that are taken; a step that is not listed has no effect. Steps that
// redraft does not take are allowed, because the fields that would give them an effect are
// rejected.
void read_steps(RequestFields& fields, SamplingOptions& sampling) {
  const Json* value = fields.any("samplers");
  if (value == nullptr || sampling.greedy()) return;
  Json names = *value;
  if (value->is_string()) {
    names = Json::array();
    for (const char letter : value->get<std::string>()) names.push_back(std::string(1, letter));
  }
  std::set<std::string> steps;
  for (const Json& name : names.is_array() ? names : Json::array({nullptr})) {
    const std::optional<std::string> step = step_of(name);
    if (!step)
      return fields.refuse("samplers", "lists a step that is not supported with a temperature",
                           "unsupported_parameter");
    steps.insert(*step);
  }
  if (!steps.contains("top_k")) sampling.top_k = 0;
  if (!steps.contains("top_p")) sampling.top_p = 1;
  if (!steps.contains("min_p")) sampling.min_p = 0;
  if (!steps.contains("temperature")) sampling.temperature = 1;
}

// Other ways to choose among several tokens, each with the value that switches it off. Without a
// temperature they have no effect.
void read_other_ways(RequestFields& fields, bool greedy) {
  for (const auto& [name, off] : {std::pair{"typical_p", 1}, std::pair{"typ_p", 1},
                                  std::pair{"tfs_z", 1}, std::pair{"xtc_probability", 0},
                                  std::pair{"dynatemp_range", 0}, std::pair{"mirostat", 0}}) {
    if (greedy) {
      fields.without_effect(name);
    } else {
      fields.only(name, off);
    }
  }
  if (greedy) {
    fields.without_effect("top_n_sigma");
  } else if (fields.number("top_n_sigma", -1e9, 1e9).value_or(0) > 0) {
    fields.refuse("top_n_sigma", "is not supported with a temperature", "unsupported_parameter");
  }
}

void read_penalties(RequestFields& fields) {
  fields.only("repeat_penalty", 1);
  fields.only("repetition_penalty", 1);
  fields.only("frequency_penalty", 0);
  fields.only("presence_penalty", 0);
  fields.only("dry_multiplier", 0);
  fields.only_empty("logit_bias");
}

}  // namespace

SamplingOptions read_sampling(RequestFields& fields) {
  SamplingOptions sampling;
  sampling.temperature = fields.number("temperature", 0, kMaxTemperature).value_or(0);
  sampling.top_p = fields.number("top_p", 0, 1).value_or(1);
  sampling.min_p = fields.number("min_p", 0, 1).value_or(0);
  // llama.cpp's 0 and vLLM's -1 are all tokens.
  const std::int64_t top_k = fields.integer("top_k", -1, INT32_MAX).value_or(0);
  sampling.top_k = static_cast<int>(std::max<std::int64_t>(top_k, 0));
  const auto seed = fields.integer("seed", INT64_MIN, INT64_MAX);
  read_steps(fields, sampling);
  read_other_ways(fields, sampling.greedy());
  read_penalties(fields);
  // These say how those ways work that are off.
  for (const char* name :
       {"dynatemp_exponent", "xtc_threshold", "mirostat_tau", "mirostat_eta", "min_keep",
        "penalty_last_n", "repeat_last_n", "penalize_nl", "dry_base", "dry_allowed_length",
        "dry_penalty_last_n", "dry_sequence_breakers"})
    fields.without_effect(name);
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

}  // namespace redraft::http
