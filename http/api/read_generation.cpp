#include "http/api/read_generation.h"

#include <algorithm>
#include <array>
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

std::optional<int> read_tokens(RequestFields& fields, const char* name) {
  const auto tokens = fields.integer(name, 1, kMaxTokens);
  return tokens ? std::optional(static_cast<int>(*tokens)) : std::nullopt;
}

// The fields that both of OpenAI's interfaces have.
void read_common(RequestFields& fields, Generation& generation) {
  generation.model = fields.text("model").value_or("");
  read_stream(fields, generation);
  generation.stops = fields.texts("stop", kMaxStops);
  generation.sampling = read_sampling(fields);
  generation.prediction = read_prediction(fields);
  fields.only("n", 1);
  fields.only("frequency_penalty", 0);
  fields.only("presence_penalty", 0);
  fields.only_empty("logit_bias");
  for (const char* name : {"user", "metadata", "service_tier", "safety_identifier",
                           "prompt_cache_key", "prompt_cache_retention", "cache_prompt"})
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
  generation.max_tokens = read_tokens(fields, "max_tokens").value_or(kDefaultCompletionTokens);
  fields.only("best_of", 1);
  fields.only("echo", false);
  generation.log_probabilities = read_log_probabilities(fields);
}

void read_chat(RequestFields& fields, Generation& generation) {
  generation.messages = read_messages(fields);
  const std::optional<int> older = read_tokens(fields, "max_tokens");
  generation.max_tokens = read_tokens(fields, "max_completion_tokens");
  if (older && generation.max_tokens && *older != *generation.max_tokens)
    fields.refuse("max_tokens", "contradicts 'max_completion_tokens'");
  if (!generation.max_tokens) generation.max_tokens = older;
  generation.log_probabilities = read_chat_log_probabilities(fields);
  fields.only("response_format", {{"type", "text"}});
  fields.only("modalities", Json::array({"text"}));
  fields.only("tool_choice", "none");
  fields.only_empty("tools");
  fields.only_empty("functions");
  fields.only("function_call", "none");
  fields.without_effect("parallel_tool_calls");
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
  generation.model = fields.text("model").value_or("");
  generation.prompt = fields.text("input_prefix").value_or("");
  generation.suffix = fields.text("input_suffix").value_or("");
  generation.begun = fields.text("prompt").value_or("");
  generation.files = read_files(fields);
  const std::int64_t predict = fields.integer("n_predict", -1, kMaxTokens).value_or(-1);
  if (predict >= 0) generation.max_tokens = static_cast<int>(predict);
  generation.stops = fields.texts("stop", kMaxStops);
  generation.sampling = read_llama_sampling(fields);
  generation.stream = fields.flag("stream", false);
  generation.min_indent = static_cast<int>(fields.integer("n_indent", 0, 1 << 16).value_or(0));
  const std::int64_t limit = fields.integer("t_max_predict_ms", -1, INT32_MAX).value_or(-1);
  if (limit > 0) generation.time_limit = std::chrono::milliseconds(limit);
  generation.answer_fields = read_answer_fields(fields);
  // t_max_prompt_ms has no effect in llama.cpp either.
  for (const char* name : {"t_max_prompt_ms", "cache_prompt", "id_slot"})
    fields.without_effect(name);
  fields.only("penalty_last_n", 0);
  fields.only("repeat_penalty", 1);
  fields.only("frequency_penalty", 0);
  fields.only("presence_penalty", 0);
  fields.only("n_probs", 0);
}

}  // namespace

std::variant<Generation, ApiError> read_generation(Interface interface, std::string_view body) {
  const Result<Json> json = lsp::parse_json(body);
  if (!json) return ApiError{.message = json.error().message()};
  RequestFields fields(*json);
  Generation generation{.interface = interface};
  if (interface == Interface::kInfill) {
    read_infill(fields, generation);
  } else {
    read_common(fields, generation);
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
