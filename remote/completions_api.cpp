#include "remote/completions_api.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/json/json_document.h"
#include "text/strings/lower_case.h"

namespace redraft {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxReason = 300;       // bytes of a server's message
constexpr std::ptrdiff_t kMaxListed = 10;     // models in a message
constexpr std::int64_t kMaxTokens = 1 << 30;  // that a server may report
constexpr int kFillTokens = 256;  // for a completion whose limit does not fit the context
constexpr JsonLimits kLimits{.bytes = std::size_t{4} << 20, .values = 1 << 16, .depth = 32};

std::string text_or_empty(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> member = object.find(key);
  if (!member) return {};
  const Result<std::string_view> text = member->text();
  return text ? std::string(*text) : std::string();
}

std::optional<int> count_of(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> member = object.find(key);
  if (!member) return {};
  const Result<std::int64_t> count = member->integer(0, kMaxTokens);
  if (!count) return {};
  return static_cast<int>(*count);
}

// llama-server reports the length it was started with; vLLM and SGLang report the model's.
std::optional<int> context_of(const JsonValue& model) {
  if (const auto length = count_of(model, "max_model_len")) return length;
  const std::optional<JsonValue> meta = model.find("meta");
  if (!meta) return {};
  const auto length = count_of(*meta, "n_ctx");
  return length ? length : count_of(*meta, "n_ctx_train");
}

RemoteModelInfo info_of(const JsonValue& model) {
  const std::string server = lower_case(text_or_empty(model, "owned_by"));
  RemoteModelInfo info;
  info.name = text_or_empty(model, "id");
  info.server = text_or_empty(model, "owned_by");
  if (server == "vllm" || server == "sglang") info.begun_turn = BegunTurn::kAskedFor;
  if (server == "llamacpp" || server == "redraft") info.begun_turn = BegunTurn::kByItself;
  info.takes_prediction = server == "redraft";
  info.verifies = server == "sglang";
  const std::string name = lower_case(info.name);
  info.fills = name.find("qwen") != std::string::npos && name.find("coder") != std::string::npos;
  info.context_length = context_of(model);
  return info;
}

// Whether this many tokens certainly fit after the prompt: each token has at least one byte.
bool surely_fits(const RemoteModelInfo& model, std::size_t prompt_bytes, int tokens) {
  return std::cmp_less_equal(prompt_bytes + static_cast<std::size_t>(tokens),
                             model.context_length.value_or(kUsualContext));
}

void add_turn(const RemoteModelInfo& model, const RemotePrompt& prompt, Json& messages,
              Json& body) {
  if (prompt.opened.empty() || model.begun_turn == BegunTurn::kNotAtAll) return;
  messages.push_back({{"role", "assistant"}, {"content", prompt.opened}});
  if (model.begun_turn != BegunTurn::kAskedFor) return;
  body["add_generation_prompt"] = false;
  body["continue_final_message"] = true;
}

// Returns the number of bytes added.
std::size_t add_messages(const RemoteModelInfo& model, const RemotePrompt& prompt, Json& body) {
  Json messages = Json::array();
  std::size_t bytes = 0;
  for (const ChatMessage& message : prompt.messages) {
    messages.push_back({{"role", message.role}, {"content", message.text}});
    bytes += message.text.size() + 16;  // for its framing
  }
  add_turn(model, prompt, messages, body);
  body["messages"] = std::move(messages);
  return bytes;
}

std::string written(const Json& body) {
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Result<std::vector<RemoteModelInfo>> read_model_list(std::string_view body) {
  const Error none("the server's list of models (/v1/models) is invalid");
  const Result<JsonDocument> document = JsonDocument::parse("/v1/models", body, kLimits);
  if (!document) return none;
  const std::optional<JsonValue> models = document->root().find("data");
  if (!models || models->kind() != JsonValue::Kind::kArray) return none;
  std::vector<RemoteModelInfo> found;
  for (const JsonValue model : *models) {
    RemoteModelInfo info = info_of(model);
    if (!info.name.empty()) found.push_back(std::move(info));
  }
  if (found.empty()) return Error("the server has no model");
  return found;
}

Result<RemoteModelInfo> read_models(std::string_view body, std::string_view wanted) {
  const Result<std::vector<RemoteModelInfo>> found = read_model_list(body);
  if (!found) return found.error();
  if (wanted.empty() && found->size() == 1) return found->front();
  std::string names;
  for (const RemoteModelInfo& info : *found) {
    if (info.name == wanted) return info;
    if (&info - found->data() < kMaxListed)
      names += (names.empty() ? "" : ", ") + shown_line(info.name);
  }
  return Error(wanted.empty()
                   ? "the server has several models. Choose one with --remote-model: " + names
                   : "the server has no model '" + std::string(wanted) + "'. It has: " + names);
}

ExchangeRequest completion_request(const RemoteModelInfo& model, const RemotePrompt& prompt,
                                   const std::string& expected, int max_tokens) {
  Json body{{"model", model.name},
            {"stream", true},
            {"stream_options", {{"include_usage", true}}},
            {"temperature", 0}};
  // vLLM and SGLang take a repetition penalty from the model's own configuration, which discourages
  // repeating the prompt. An edit has to repeat it. Other servers do not know the field.
  if (model.begun_turn == BegunTurn::kAskedFor) body["repetition_penalty"] = 1;
  if (prompt.messages.empty()) {
    body["prompt"] = prompt.text;
    // Without a limit a server writes 16 tokens.
    body["max_tokens"] = surely_fits(model, prompt.text.size(), max_tokens)
                             ? max_tokens
                             : std::min(max_tokens, kFillTokens);
  } else {
    const std::size_t bytes = add_messages(model, prompt, body);
    if (surely_fits(model, bytes, max_tokens)) body["max_tokens"] = max_tokens;
    if (model.takes_prediction && !expected.empty())
      body["prediction"] = {{"type", "content"}, {"content", expected}};
  }
  return {.method = "POST",
          .path = prompt.messages.empty() ? "/v1/completions" : "/v1/chat/completions",
          .body = written(body)};
}

ExchangeRequest chat_tokens_request(const RemoteModelInfo& model, const RemotePrompt& prompt) {
  Json body{{"model", model.name}};
  add_messages(model, prompt, body);
  return {.method = "POST", .path = "/tokenize", .body = written(body)};
}

namespace {

void read_usage(const JsonValue& root, RemotePiece& piece) {
  const std::optional<JsonValue> usage = root.find("usage");
  if (!usage) return;
  piece.prompt_tokens = count_of(*usage, "prompt_tokens");
  piece.new_tokens = count_of(*usage, "completion_tokens");
  if (const auto details = usage->find("prompt_tokens_details"))
    piece.cached_tokens = count_of(*details, "cached_tokens");
}

}  // namespace

Result<RemotePiece> read_piece(std::string_view event) {
  const Result<JsonDocument> document = JsonDocument::parse("answer", event, kLimits);
  if (!document)
    return Error("the server sent an event that is not valid JSON: " + document.error().message());
  const JsonValue root = document->root();
  if (root.find("error"))
    return Error("the server reports: " + reason_of_refusal({.refusal = std::string(event)}));
  RemotePiece piece;
  read_usage(root, piece);
  const std::optional<JsonValue> choices = root.find("choices");
  if (!choices || choices->kind() != JsonValue::Kind::kArray || choices->size() == 0) return piece;
  const JsonValue choice = *choices->begin();
  if (const auto delta = choice.find("delta")) {
    piece.text = text_or_empty(*delta, "content");
  } else {
    piece.text = text_or_empty(choice, "text");
  }
  const std::string finish = text_or_empty(choice, "finish_reason");
  piece.cut = finish == "length";
  piece.ended = !finish.empty() && !piece.cut;
  return piece;
}

std::string reason_of_refusal(const ExchangeEnd& end) {
  std::string reason;
  if (const Result<JsonDocument> document = JsonDocument::parse("refusal", end.refusal, kLimits)) {
    const JsonValue root = document->root();
    const std::optional<JsonValue> error = root.find("error");
    reason = text_or_empty(error ? *error : root, "message");
    if (reason.empty()) reason = text_or_empty(root, "error");
    if (reason.empty()) reason = text_or_empty(root, "detail");
  }
  if (reason.empty()) reason = end.refusal;
  return reason.empty() ? "no reason given" : shown_line(reason);
}

std::string shown_line(std::string_view text) {
  std::string line(text.substr(0, kMaxReason));
  std::ranges::replace_if(
      line, [](unsigned char c) { return c < ' ' || c >= 0x7f; }, ' ');
  return line;
}

}  // namespace redraft
