#include "http/api/read_generation.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "workspace/completion/completion_prompt.h"

namespace redraft::http {
namespace {

constexpr int kMaxTokens = 1 << 20;
// OpenAI's default for /v1/completions.
constexpr int kDefaultCompletionTokens = 16;
constexpr std::size_t kMaxFiles = 1024;
constexpr std::size_t kMaxAnswerFields = 64;

std::string numbered(const char* name, std::size_t index) {
  return std::string(name) + "[" + std::to_string(index) + "]";
}

// A string, or parts of type "text", whose texts are joined.
std::string text_or_parts(RequestFields& fields, const char* name) {
  const Json* value = fields.any(name);
  if (value == nullptr) {
    fields.refuse(name, "is missing", "missing_required_parameter");
    return {};
  }
  if (value->is_string()) return value->get<std::string>();
  if (!value->is_array()) {
    fields.refuse(name, "must be a string, or an array of parts of type text");
    return {};
  }
  std::string text;
  for (std::size_t i = 0; i < value->size(); ++i) {
    RequestFields part((*value)[i], fields.full_name(numbered(name, i)) + ".");
    part.only("type", "text");
    text += part.text("text").value_or("");
    if (part.any("text") == nullptr) part.refuse("text", "is missing");
    part.refuse_others();
    fields.take_refusal(part);
  }
  return text;
}

ChatMessage read_message(RequestFields& message) {
  ChatMessage read;
  read.role = message.text("role").value_or("");
  if (read.role == "developer") read.role = "system";  // OpenAI's newer name for it
  constexpr std::array kRoles{"system", "user", "assistant"};
  if (std::find(kRoles.begin(), kRoles.end(), read.role) == kRoles.end())
    message.refuse("role", "must be system, developer, user or assistant", "unsupported_value");
  // What an assistant said may be absent, where it did something else.
  if (read.role != "assistant" || message.any("content") != nullptr)
    read.text = text_or_parts(message, "content");
  message.only_empty("tool_calls");
  // Earlier thoughts are not shown to the model, as in the chat templates.
  if (read.role == "assistant") (void)message.text("reasoning_content");
  message.refuse_others();
  return read;
}

std::vector<ChatMessage> read_messages(RequestFields& fields) {
  const Json* value = fields.any("messages");
  if (value == nullptr || !value->is_array() || value->empty()) {
    fields.refuse("messages", "must be an array with at least one message");
    return {};
  }
  std::vector<ChatMessage> messages;
  for (std::size_t i = 0; i < value->size() && !fields.refusal(); ++i) {
    RequestFields message((*value)[i], numbered("messages", i) + ".");
    messages.push_back(read_message(message));
    fields.take_refusal(message);
  }
  return messages;
}

std::string read_prediction(RequestFields& fields) {
  const Json* value = fields.any("prediction");
  if (value == nullptr) return {};
  RequestFields prediction(*value, "prediction.");
  prediction.only("type", "content");
  std::string content = text_or_parts(prediction, "content");
  prediction.refuse_others();
  fields.take_refusal(prediction);
  return content;
}

// One text, or an array with one text.
std::string read_prompt(RequestFields& fields) {
  const Json* value = fields.any("prompt");
  if (value != nullptr && value->is_array() && value->size() == 1) value = &value->front();
  if (value != nullptr && value->is_string()) return value->get<std::string>();
  fields.refuse("prompt", "must be one string; several, and tokens, are not supported");
  return {};
}

void read_stream(RequestFields& fields, Generation& generation) {
  generation.stream = fields.flag("stream", false);
  const Json* value = fields.any("stream_options");
  if (value == nullptr) return;
  if (!generation.stream) fields.refuse("stream_options", "needs 'stream': true");
  RequestFields options(*value, "stream_options.");
  generation.include_usage = options.flag("include_usage", false);
  options.only("include_obfuscation", false);
  options.refuse_others();
  fields.take_refusal(options);
}

// How many tokens the answer may have, by the first of these fields that is present; they must not
// contradict each other. nullopt: none is. -1: as many as the context holds.
std::optional<std::int64_t> read_limit(RequestFields& fields,
                                       std::initializer_list<const char*> names) {
  std::optional<std::int64_t> limit;
  const char* first = nullptr;
  for (const char* name : names) {
    const auto tokens = fields.integer(name, -1, kMaxTokens);
    if (!tokens) continue;
    // llama.cpp's own field: 0 only reads the prompt.
    if (*tokens == 0 && std::string_view(name) != "n_predict")
      fields.refuse(name, "must be a whole number from 1, or -1: as many as the context holds");
    if (limit && *limit != *tokens) fields.refuse(name, "contradicts '" + std::string(first) + "'");
    if (!limit) first = name;
    limit = tokens;
  }
  return limit;
}

std::optional<int> tokens_of(std::int64_t limit) {
  return limit < 0 ? std::nullopt : std::optional(static_cast<int>(limit));
}

// How many texts are asked for, by OpenAI's name or llama.cpp's. Greedy texts are all the same, of
// which llama.cpp's clients need one.
void read_choices(RequestFields& fields, Generation& generation) {
  const auto llama = fields.integer("n_cmpl", 1, kMaxChoices);
  const bool has_n = generation.interface != Interface::kInfill;
  const auto openai = has_n ? fields.integer("n", 1, kMaxChoices) : std::nullopt;
  if (llama && openai && *llama != *openai) fields.refuse("n_cmpl", "contradicts 'n'");
  const bool are_same = !has_n && generation.sampling.greedy();
  generation.choices = are_same ? 1 : static_cast<int>(openai.value_or(llama.value_or(1)));
  generation.candidates = generation.choices;
}

// OpenAI's field for completions.
void read_candidates(RequestFields& fields, Generation& generation) {
  const auto candidates = fields.integer("best_of", 1, kMaxChoices);
  if (!candidates) return;
  if (*candidates < generation.choices) fields.refuse("best_of", "is less than 'n'");
  if (generation.stream && *candidates > generation.choices)
    fields.refuse("best_of", "cannot be streamed: which text is the best shows at the end");
  generation.candidates = static_cast<int>(*candidates);
}

// The fields of llama.cpp's server, which its clients send to all three interfaces.
void read_llama_controls(RequestFields& fields, Generation& generation) {
  generation.min_indent = static_cast<int>(fields.integer("n_indent", 0, 1 << 16).value_or(0));
  const std::int64_t limit = fields.integer("t_max_predict_ms", -1, INT32_MAX).value_or(-1);
  if (limit > 0) generation.time_limit = std::chrono::milliseconds(limit);
  // t_max_prompt_ms has no effect in llama.cpp either. The others say where a prompt is kept.
  for (const char* name : {"t_max_prompt_ms", "cache_prompt", "id_slot", "n_keep", "n_cache_reuse"})
    fields.without_effect(name);
  fields.only("n_probs", 0);
  fields.only("grammar", "");
  fields.only_empty("lora");
  // llama.vim sends it to all paths; as in llama.cpp, only the answers of /infill follow it.
  if (generation.interface != Interface::kInfill) fields.without_effect("response_fields");
  for (const char* name : {"ignore_eos", "return_progress", "return_tokens", "timings_per_token"})
    fields.only(name, false);
}

// The fields that all interfaces have.
void read_common(RequestFields& fields, Generation& generation) {
  // There is one model, which the answer names; clients send what they call it, or any word.
  (void)fields.text("model");
  generation.stops = fields.texts("stop", kMaxStops);
  std::erase(generation.stops, "");  // no text ends there
  generation.sampling = read_sampling(fields);
  read_choices(fields, generation);
  read_llama_controls(fields, generation);
}

// The fields that both of OpenAI's interfaces have.
void read_openai(RequestFields& fields, Generation& generation) {
  read_stream(fields, generation);
  generation.prediction = read_prediction(fields);
  for (const char* name : {"user", "metadata", "service_tier", "safety_identifier",
                           "prompt_cache_key", "prompt_cache_retention"})
    fields.without_effect(name);
  fields.only("store", false);
}

// Clients that know a model's format write its fill-in-the-middle tokens into the prompt.
void read_spelled(Generation& generation) {
  const std::optional<SpelledFill> fill = read_spelled_fill(generation.prompt);
  if (!fill) return;
  std::string prefix(fill->prefix);
  generation.suffix.emplace(fill->suffix);
  generation.prompt = std::move(prefix);  // `fill` refers to it
}

void read_completions(RequestFields& fields, Generation& generation) {
  generation.prompt = read_prompt(fields);
  generation.suffix = fields.text("suffix");
  if (!generation.suffix) read_spelled(generation);
  generation.max_tokens =
      tokens_of(read_limit(fields, {"max_tokens", "n_predict"}).value_or(kDefaultCompletionTokens));
  read_candidates(fields, generation);
  fields.only("echo", false);
  generation.log_probabilities = read_log_probabilities(fields);
}

void read_chat(RequestFields& fields, Generation& generation) {
  generation.messages = read_messages(fields);
  generation.max_tokens = tokens_of(
      read_limit(fields, {"max_completion_tokens", "max_tokens", "n_predict"}).value_or(-1));
  generation.log_probabilities = read_chat_log_probabilities(fields);
  fields.only("response_format", {{"type", "text"}});
  fields.only("modalities", Json::array({"text"}));
  // Without tools, the model calls none.
  fields.only_empty("tools");
  fields.only_either("tool_choice", "none", "auto");
  fields.only_empty("functions");
  fields.only_either("function_call", "none", "auto");
  fields.without_effect("parallel_tool_calls");
  // How much a model thinks is up to its template: prompts switch thinking off where it can.
  (void)fields.text("reasoning_effort");
}

std::vector<Snippet> read_files(RequestFields& fields) {
  const Json* value = fields.any("input_extra");
  if (value == nullptr) return {};
  if (!value->is_array() || value->size() > kMaxFiles) {
    fields.refuse("input_extra",
                  "must be an array of at most " + std::to_string(kMaxFiles) + " objects");
    return {};
  }
  std::vector<Snippet> files;
  for (std::size_t i = 0; i < value->size() && !fields.refusal(); ++i) {
    RequestFields file((*value)[i], numbered("input_extra", i) + ".");
    files.push_back({file.text("filename").value_or("tmp"), file.text("text").value_or("")});
    if (file.any("text") == nullptr) file.refuse("text", "is missing");
    file.without_effect("time");  // when llama.vim recorded it
    file.refuse_others();
    fields.take_refusal(file);
  }
  return files;
}

// Names of members of the answer; llama.vim sends "" if it needs none.
std::vector<std::string> read_answer_fields(RequestFields& fields) {
  const Json* value = fields.any("response_fields");
  std::vector<std::string> names;
  bool all = value == nullptr || (value->is_array() && value->size() <= kMaxAnswerFields);
  for (std::size_t i = 0; all && value != nullptr && i < value->size(); ++i) {
    all = (*value)[i].is_string();
    if (all) names.push_back((*value)[i].get<std::string>());
  }
  if (!all) fields.refuse("response_fields", "must be an array of strings within the size limit");
  return names;
}

// llama.cpp's own interface, with the fields that llama.vim and llama.vscode send.
void read_infill(RequestFields& fields, Generation& generation) {
  generation.prompt = fields.text("input_prefix").value_or("");
  generation.suffix = fields.text("input_suffix").value_or("");
  generation.begun = fields.text("prompt").value_or("");
  generation.files = read_files(fields);
  generation.max_tokens = tokens_of(read_limit(fields, {"n_predict", "max_tokens"}).value_or(-1));
  generation.stream = fields.flag("stream", false);
  generation.answer_fields = read_answer_fields(fields);
}

}  // namespace

std::variant<Generation, ApiError> read_generation(Interface interface, std::string_view body) {
  const Result<Json> json = lsp::parse_json(body);
  if (!json) return ApiError{.message = json.error().message()};
  RequestFields fields(*json);
  Generation generation{.interface = interface};
  read_common(fields, generation);
  if (interface == Interface::kInfill) {
    read_infill(fields, generation);
  } else {
    read_openai(fields, generation);
    if (interface == Interface::kChat) {
      read_chat(fields, generation);
    } else {
      read_completions(fields, generation);
    }
  }
  fields.refuse_others();
  if (fields.refusal()) return *fields.refusal();
  return generation;
}

}  // namespace redraft::http
