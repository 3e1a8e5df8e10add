#include "http/api/answer.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft::http {
namespace {

const char* finish_reason(ChoiceEnd::Reason reason) {
  using Reason = ChoiceEnd::Reason;
  return reason == Reason::kLength || reason == Reason::kLimit ? "length" : "stop";
}

// llama.cpp's name for it.
const char* stop_type(ChoiceEnd::Reason reason) {
  switch (reason) {
    case ChoiceEnd::Reason::kEndOfText:
      return "eos";
    case ChoiceEnd::Reason::kStopString:
      return "word";
    case ChoiceEnd::Reason::kLength:
    case ChoiceEnd::Reason::kLimit:
    case ChoiceEnd::Reason::kCancelled:
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

Json Answer::infill(int index, std::string_view text, const ChoiceEnd& end) const {
  const DecodeStatistics& statistics = end.statistics;
  return {{"index", index},
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

// Like llama.cpp: an array only if there are several.
Json Answer::infills(std::span<const AnswerPart> texts, const GenerationEnd& end) const {
  Json all = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Json one = infill(static_cast<int>(i), texts[i].text, end.choices[i]);
    all.push_back(generation_.answer_fields.empty() ? one
                                                    : only_fields(one, generation_.answer_fields));
  }
  return all.size() == 1 ? all[0] : all;
}

Json Answer::whole_choice(int index, const AnswerPart& text, const ChoiceEnd& end) const {
  Json choice = {{"index", index},
                 {"logprobs", log_probabilities(text.likelihoods)},
                 {"finish_reason", finish_reason(end.reason)}};
  if (generation_.interface == Interface::kChat) {
    choice["message"] = {{"role", "assistant"}, {"content", text.text}, {"refusal", nullptr}};
    if (!text.thoughts.empty()) choice["message"]["reasoning_content"] = text.thoughts;
  } else {
    choice["text"] = text.text;
  }
  return choice;
}

Json Answer::whole(std::span<const AnswerPart> texts, const GenerationEnd& end) const {
  assert(texts.size() == end.choices.size());
  if (generation_.interface == Interface::kInfill) return infills(texts, end);
  const bool chat = generation_.interface == Interface::kChat;
  Json answer = base(chat ? "chat.completion" : "text_completion");
  answer["choices"] = Json::array();
  for (std::size_t i = 0; i < texts.size(); ++i)
    answer["choices"].push_back(whole_choice(static_cast<int>(i), texts[i], end.choices[i]));
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
Json Answer::choice(int index, Json text, Json finish) const {
  Json choice = {{"index", index}, {"logprobs", nullptr}, {"finish_reason", std::move(finish)}};
  if (generation_.interface != Interface::kChat) {
    choice["text"] = text.is_null() ? Json("") : std::move(text);
  } else {
    choice["delta"] = text.is_null() ? Json::object() : Json{{"content", std::move(text)}};
  }
  return choice;
}

std::string Answer::first_events() const {
  if (generation_.interface != Interface::kChat) return {};
  std::string events;
  for (int i = 0; i < generation_.choices; ++i) {
    Json first = choice(i, "", nullptr);
    first["delta"]["role"] = "assistant";
    events += event_of(chunk(first));
  }
  return events;
}

std::string Answer::part_event(const AnswerPart& part) const {
  if (generation_.interface == Interface::kInfill)
    return event_of({{"index", part.choice}, {"content", part.text}, {"stop", false}});
  const bool only_thinks = part.text.empty() && !part.thoughts.empty();
  Json next = choice(part.choice, only_thinks ? Json() : Json(part.text), nullptr);
  if (!part.thoughts.empty()) next["delta"]["reasoning_content"] = part.thoughts;
  next["logprobs"] = log_probabilities(part.likelihoods);
  return event_of(chunk(next));
}

std::string Answer::last_events(const GenerationEnd& end) const {
  std::string events;
  for (int i = 0; i < std::ssize(end.choices); ++i) {
    const ChoiceEnd& each = end.choices[static_cast<std::size_t>(i)];
    if (generation_.interface == Interface::kInfill) {
      const Json last = infill(i, {}, each);
      const std::vector<std::string>& names = generation_.answer_fields;
      events += event_of(names.empty() ? last : only_fields(last, names));
    } else {
      events += event_of(chunk(choice(i, nullptr, finish_reason(each.reason))));
    }
  }
  if (generation_.interface == Interface::kInfill) return events;
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
