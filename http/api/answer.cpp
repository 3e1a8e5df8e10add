#include "http/api/answer.h"

#include <algorithm>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft::http {
namespace {

const char* finish_reason(GenerationEnd::Reason reason) {
  using Reason = GenerationEnd::Reason;
  return reason == Reason::kLength || reason == Reason::kLimit ? "length" : "stop";
}

// llama.cpp's name for it.
const char* stop_type(GenerationEnd::Reason reason) {
  switch (reason) {
    case GenerationEnd::Reason::kEndOfText:
      return "eos";
    case GenerationEnd::Reason::kStopString:
      return "word";
    case GenerationEnd::Reason::kLength:
    case GenerationEnd::Reason::kLimit:
    case GenerationEnd::Reason::kCancelled:
      break;
  }
  return "limit";
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

constexpr double kMilliseconds = 1000;

// llama.cpp's members of "timings" for one half of the work.
void add_timings(Json& timings, const std::string& name, int tokens, double seconds) {
  timings[name + "_n"] = tokens;
  timings[name + "_ms"] = seconds * kMilliseconds;
  timings[name + "_per_token_ms"] = ratio(seconds * kMilliseconds, tokens);
  timings[name + "_per_second"] = ratio(tokens, seconds);
}

Json timings_of(const DecodeStatistics& statistics) {
  Json timings = Json::object();
  timings["cache_n"] = statistics.cached_prompt_tokens;
  add_timings(timings, "prompt", statistics.prompt_tokens - statistics.cached_prompt_tokens,
              statistics.prefill_seconds);
  add_timings(timings, "predicted", statistics.new_tokens, statistics.decode_seconds);
  return timings;
}

// The member at "a/b"; null if there is none.
const Json* member_at(const Json& answer, std::string_view path) {
  const Json* value = &answer;
  while (true) {
    if (!value->is_object()) return nullptr;
    const std::string_view name = path.substr(0, path.find('/'));
    const auto found = value->find(std::string(name));
    if (found == value->end()) return nullptr;
    value = &*found;
    if (name.size() == path.size()) return value;
    path.remove_prefix(name.size() + 1);
  }
}

// Like llama.cpp: "a/b" is the new name, too, and missing members are left out.
Json only_fields(const Json& answer, const std::vector<std::string>& names) {
  Json some = Json::object();
  for (const std::string& name : names) {
    if (const Json* value = member_at(answer, name)) some[name] = *value;
  }
  return some;
}

// A token may be a part of a character, so its bytes are repaired.
std::string shown(const std::string& bytes) { return with_replacement_characters(bytes); }

Json bytes_of(const std::string& bytes) {
  Json numbers = Json::array();
  for (const char byte : bytes) numbers.push_back(static_cast<unsigned char>(byte));
  return numbers;
}

Json of_chat(const std::string& bytes, double log_probability) {
  return {{"token", shown(bytes)}, {"logprob", log_probability}, {"bytes", bytes_of(bytes)}};
}

Json of_chat(const std::vector<TokenLikelihood>& tokens) {
  Json content = Json::array();
  for (const TokenLikelihood& token : tokens) {
    Json entry = of_chat(token.bytes, token.log_probability);
    entry["top_logprobs"] = Json::array();
    for (const auto& other : token.likeliest)
      entry["top_logprobs"].push_back(of_chat(other.bytes, other.log_probability));
    content.push_back(std::move(entry));
  }
  return {{"content", std::move(content)}, {"refusal", nullptr}};
}

Json of_completion(const std::vector<TokenLikelihood>& tokens) {
  Json names = Json::array(), values = Json::array(), likeliest = Json::array();
  for (const TokenLikelihood& token : tokens) {
    names.push_back(shown(token.bytes));
    values.push_back(token.log_probability);
    Json others = Json::object();
    for (const auto& other : token.likeliest) others[shown(other.bytes)] = other.log_probability;
    likeliest.push_back(std::move(others));
  }
  return {{"tokens", std::move(names)},
          {"token_logprobs", std::move(values)},
          {"top_logprobs", std::move(likeliest)}};
}

}  // namespace

std::string event_of(const Json& value) { return "data: " + lsp::to_text(value) + "\n\n"; }

Answer::Answer(const Generation& generation, std::string model, std::int64_t created, int number)
    : generation_(generation),
      model_(std::move(model)),
      created_(created),
      id_((generation.interface == Interface::kChat ? "chatcmpl-" : "cmpl-") +
          std::to_string(created) + "-" + std::to_string(number)) {}

Json Answer::base(const char* object) const {
  return {{"id", id_}, {"object", object}, {"created", created_}, {"model", model_}};
}

Json Answer::usage(const GenerationEnd& end) const {
  const DecodeStatistics& statistics = end.statistics;
  return {{"prompt_tokens", statistics.prompt_tokens},
          {"completion_tokens", statistics.new_tokens},
          {"total_tokens", statistics.prompt_tokens + statistics.new_tokens},
          {"prompt_tokens_details", {{"cached_tokens", statistics.cached_prompt_tokens}}},
          {"completion_tokens_details",
           {{"accepted_prediction_tokens", end.accepted_prediction_tokens},
            {"rejected_prediction_tokens",
             std::max(0, end.prediction_tokens - end.accepted_prediction_tokens)}}}};
}

Json Answer::infill(std::string_view text, const GenerationEnd& end) const {
  const DecodeStatistics& statistics = end.statistics;
  return {{"index", 0},
          {"content", text},
          {"stop", true},
          {"model", model_},
          {"tokens_predicted", statistics.new_tokens},
          {"tokens_evaluated", statistics.prompt_tokens},
          {"tokens_cached", statistics.prompt_tokens + statistics.new_tokens},
          {"truncated", false},
          {"has_new_line", text.find('\n') != std::string_view::npos},
          {"stop_type", stop_type(end.reason)},
          {"stopping_word", end.stopping_word},
          {"timings", timings_of(statistics)}};
}

// Null if they were not requested.
Json Answer::log_probabilities(const std::vector<TokenLikelihood>& tokens) const {
  if (!generation_.log_probabilities) return nullptr;
  return generation_.interface == Interface::kChat ? of_chat(tokens) : of_completion(tokens);
}

Json Answer::whole(const AnswerPart& part, const GenerationEnd& end) const {
  const std::string& text = part.text;
  if (generation_.interface == Interface::kInfill) {
    const Json all = infill(text, end);
    return generation_.answer_fields.empty() ? all : only_fields(all, generation_.answer_fields);
  }
  const bool chat = generation_.interface == Interface::kChat;
  Json choice = {{"index", 0},
                 {"logprobs", log_probabilities(part.likelihoods)},
                 {"finish_reason", finish_reason(end.reason)}};
  if (chat) {
    choice["message"] = {{"role", "assistant"}, {"content", text}, {"refusal", nullptr}};
    if (!part.thoughts.empty()) choice["message"]["reasoning_content"] = part.thoughts;
  } else {
    choice["text"] = text;
  }
  Json answer = base(chat ? "chat.completion" : "text_completion");
  answer["choices"] = Json::array({std::move(choice)});
  answer["usage"] = usage(end);
  return answer;
}

Json Answer::chunk(const Json& choice) const {
  const bool chat = generation_.interface == Interface::kChat;
  Json chunk = base(chat ? "chat.completion.chunk" : "text_completion");
  chunk["choices"] = Json::array({choice});
  if (generation_.include_usage) chunk["usage"] = nullptr;
  return chunk;
}

// `text` is null if there is none.
Json Answer::choice(Json text, Json finish) const {
  Json choice = {{"index", 0}, {"logprobs", nullptr}, {"finish_reason", std::move(finish)}};
  if (generation_.interface != Interface::kChat) {
    choice["text"] = text.is_null() ? Json("") : std::move(text);
  } else {
    choice["delta"] = text.is_null() ? Json::object() : Json{{"content", std::move(text)}};
  }
  return choice;
}

std::string Answer::first_events() const {
  if (generation_.interface != Interface::kChat) return {};
  Json first = choice("", nullptr);
  first["delta"]["role"] = "assistant";
  return event_of(chunk(first));
}

std::string Answer::part_event(const AnswerPart& part) const {
  if (generation_.interface == Interface::kInfill)
    return event_of({{"index", 0}, {"content", part.text}, {"stop", false}});
  const bool only_thinks = part.text.empty() && !part.thoughts.empty();
  Json next = choice(only_thinks ? Json() : Json(part.text), nullptr);
  if (!part.thoughts.empty()) next["delta"]["reasoning_content"] = part.thoughts;
  next["logprobs"] = log_probabilities(part.likelihoods);
  return event_of(chunk(next));
}

std::string Answer::last_events(const GenerationEnd& end) const {
  if (generation_.interface == Interface::kInfill) return event_of(whole({}, end));
  std::string events = event_of(chunk(choice(nullptr, finish_reason(end.reason))));
  if (generation_.include_usage) {
    Json last = chunk(Json());
    last["choices"] = Json::array();
    last["usage"] = usage(end);
    events += event_of(last);
  }
  return events + "data: [DONE]\n\n";
}

std::string Answer::error_event(const ApiError& error) { return event_of(to_json(error)); }

}  // namespace redraft::http
