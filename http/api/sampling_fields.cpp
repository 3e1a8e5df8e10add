#include "http/api/sampling_fields.h"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace redraft::http {
namespace {

// The seed need not be secret.
std::uint64_t any_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

// llama.cpp's steps of sampling, each with the letter that stands for it where `samplers` is a
// string.
constexpr std::array<std::pair<char, std::string_view>, 10> kSteps = {{{'e', "penalties"},
                                                                       {'d', "dry"},
                                                                       {'s', "top_n_sigma"},
                                                                       {'k', "top_k"},
                                                                       {'f', "tfs_z"},
                                                                       {'y', "typ_p"},
                                                                       {'p', "top_p"},
                                                                       {'m', "min_p"},
                                                                       {'x', "xtc"},
                                                                       {'t', "temperature"}}};

// The step with this name or letter; empty if there is none.
std::string_view step_of(std::string_view name) {
  if (name == "typical_p") return "typ_p";
  for (const auto& [letter, step] : kSteps) {
    if (name == step || name == std::string_view(&letter, 1)) return step;
  }
  return {};
}

// The names or letters in `samplers`: an array of names, or a string with a letter for each.
std::vector<std::string> listed_steps(RequestFields& fields) {
  constexpr std::size_t kMaxListed = 64;
  std::vector<std::string> listed = fields.texts("samplers", kMaxListed);
  const Json* value = fields.any("samplers");
  if (value == nullptr || !value->is_string()) return listed;
  // Among one letter more than there are steps, one is unknown or there twice.
  const std::string letters = listed.front().substr(0, kSteps.size() + 1);
  listed.clear();
  for (const char letter : letters) listed.emplace_back(1, letter);
  return listed;
}

// `samplers` lists the steps that are taken; a step that is not listed has no effect. Steps that
// redraft does not take are allowed, because the fields that would give them an effect are
// rejected.
void read_steps(RequestFields& fields, SamplingOptions& sampling) {
  const std::vector<std::string> listed = listed_steps(fields);
  if (sampling.greedy() || fields.any("samplers") == nullptr) return;
  std::set<std::string_view> steps;
  for (const std::string& name : listed) {
    const std::string_view step = step_of(name);
    if (step.empty())
      return fields.refuse("samplers", "lists a step that is not supported with a temperature",
                           "unsupported_parameter");
    if (!steps.insert(step).second)
      return fields.refuse("samplers", "lists '" + std::string(step) + "' twice",
                           "unsupported_parameter");
  }
  if (!steps.contains("top_k")) sampling.top_k = 0;
  if (!steps.contains("top_p")) sampling.top_p = 1;
  if (!steps.contains("min_p")) sampling.min_p = 0;
  if (!steps.contains("temperature")) sampling.temperature = 1;
}

// Other ways to choose among several tokens, each with the value that switches it off.
void read_other_ways(RequestFields& fields, bool greedy) {
  // In llama.cpp, these may exclude the likeliest token, or set a temperature of their own.
  for (const auto& [name, off] : {std::pair{"typical_p", 1}, std::pair{"typ_p", 1},
                                  std::pair{"xtc_probability", 0}, std::pair{"dynatemp_range", 0}})
    fields.only(name, off);
  // These keep the likeliest token. So they have no effect without a temperature.
  for (const auto& [name, off] : {std::pair{"tfs_z", 1}, std::pair{"mirostat", 0}}) {
    const std::optional<double> value = fields.number(name);
    if (value && !greedy) fields.only(name, off);
  }
  const std::optional<double> sigmas = fields.number("top_n_sigma");
  if (!greedy && sigmas.value_or(0) > 0)
    fields.refuse("top_n_sigma", "is not supported with a temperature", "unsupported_parameter");
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
  for (const char* name : {"dynatemp_exponent", "xtc_threshold", "mirostat_tau", "mirostat_eta",
                           "min_keep", "penalty_last_n", "repeat_last_n", "penalize_nl", "dry_base",
                           "dry_allowed_length", "dry_penalty_last_n", "dry_sequence_breakers"})
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
