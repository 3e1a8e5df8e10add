#include "remote/generate_api.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "support/json/json_document.h"

namespace redraft {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMaxToken = 1 << 24;
constexpr std::int64_t kMaxCount = 1 << 30;
constexpr JsonLimits kLimits{.bytes = kMaxGenerateBody, .values = 1 << 20, .depth = 16};

Error no_such(const char* what) {
  return Error(std::string("the server's answer lacks the ") + what + " that redraft requested");
}

ExchangeRequest post(const char* path, const Json& body) {
  return {.method = "POST",
          .path = path,
          .body = body.dump(-1, ' ', false, Json::error_handler_t::replace)};
}

// Explicitly greedy, because the server may have been started with other defaults.
Json sampling(int max_tokens) {
  return {{"temperature", 0},       {"max_new_tokens", max_tokens}, {"repetition_penalty", 1},
          {"frequency_penalty", 0}, {"presence_penalty", 0},        {"min_new_tokens", 0}};
}

Json joined(std::span<const TokenId> written, std::span<const TokenId> draft) {
  Json ids = Json::array();
  for (const TokenId token : written) ids.push_back(token);
  for (const TokenId token : draft) ids.push_back(token);
  return ids;
}

std::optional<TokenId> token_in(const JsonValue& value) {
  const Result<std::int64_t> token = value.integer(0, kMaxToken);
  if (!token) return {};
  return static_cast<TokenId>(*token);
}

std::optional<std::vector<TokenId>> tokens_in(const std::optional<JsonValue>& list) {
  if (!list || list->kind() != JsonValue::Kind::kArray) return {};
  std::vector<TokenId> tokens;
  tokens.reserve(list->size());
  for (const JsonValue value : *list) {
    const std::optional<TokenId> token = token_in(value);
    if (!token) return {};
    tokens.push_back(*token);
  }
  return tokens;
}

int count_in(const JsonValue& object, std::string_view key) {
  const std::optional<JsonValue> member = object.find(key);
  if (!member) return 0;
  const Result<std::int64_t> count = member->integer(0, kMaxCount);
  return count ? static_cast<int>(*count) : 0;
}

// An entry is [log probability, token, text].
std::optional<TokenId> token_of_entry(const JsonValue& entry) {
  if (entry.kind() != JsonValue::Kind::kArray || entry.size() < 2) return {};
  return token_in(*++entry.begin());
}

struct Finish {
  bool ended = false, cut = false;
};

// {"type": "stop", "matched": 151645}, {"type": "length", "length": 1}, {"type": "abort", …}; null
// while generation continues.
Result<Finish> finish_in(const JsonValue& meta) {
  const std::optional<JsonValue> reason = meta.find("finish_reason");
  if (!reason) return Finish{};
  const std::optional<JsonValue> type = reason->find("type");
  const Result<std::string_view> name =
      type ? type->text() : Result<std::string_view>(Error("no type"));
  if (!name || (*name != "stop" && *name != "length"))
    return Error("the server aborted the request");
  return Finish{.ended = *name == "stop", .cut = *name == "length"};
}

Result<JsonDocument> parsed(std::string_view body) {
  Result<JsonDocument> document = JsonDocument::parse("answer", body, kLimits);
  if (document && document->root().find("error"))
    return Error("the server reports: " + reason_of_refusal({.refusal = std::string(body)}));
  return document;
}

}  // namespace

ExchangeRequest text_tokens_request(const RemoteModelInfo& model, const std::string& text) {
  return post("/tokenize",
              {{"model", model.name}, {"prompt", text}, {"add_special_tokens", false}});
}

Result<std::vector<TokenId>> read_tokens(std::string_view body) {
  const Result<JsonDocument> document = parsed(body);
  if (!document) return document.error();
  std::optional<std::vector<TokenId>> tokens = tokens_in(document->root().find("tokens"));
  if (!tokens) return no_such("tokens");
  return std::move(*tokens);
}

ExchangeRequest texts_request(const RemoteModelInfo& model,
                              const std::vector<std::vector<TokenId>>& groups) {
  return post("/detokenize",
              {{"model", model.name}, {"tokens", groups}, {"skip_special_tokens", true}});
}

Result<std::vector<std::string>> read_texts(std::string_view body, std::size_t count) {
  const Result<JsonDocument> document = parsed(body);
  if (!document) return document.error();
  const std::optional<JsonValue> list = document->root().find("text");
  if (!list || list->kind() != JsonValue::Kind::kArray || list->size() != count)
    return no_such("texts");
  std::vector<std::string> texts;
  for (const JsonValue value : *list) {
    const Result<std::string_view> text = value.text();
    if (!text) return no_such("texts");
    texts.emplace_back(*text);
  }
  return texts;
}

ExchangeRequest round_request(std::span<const TokenId> written, std::span<const TokenId> draft) {
  // The first position is always empty, because no cache holds the context before it.
  return post("/generate", {{"input_ids", joined(written, draft)},
                            {"sampling_params", sampling(1)},
                            {"return_logprob", true},
                            {"logprob_start_len", written.size() - 1},
                            {"top_logprobs_num", 1},
                            {"stream", false}});
}

Result<Round> read_round(std::string_view body, std::span<const TokenId> written,
                         std::span<const TokenId> draft) {
  const Result<JsonDocument> document = parsed(body);
  if (!document) return document.error();
  const JsonValue root = document->root();
  const std::optional<JsonValue> meta = root.find("meta_info");
  if (!meta) return no_such("figures");
  const auto inputs = meta->find("input_token_logprobs"), tops = meta->find("input_top_logprobs");
  if (!inputs || !tops || inputs->kind() != JsonValue::Kind::kArray ||
      tops->kind() != JsonValue::Kind::kArray || inputs->size() != draft.size() + 1 ||
      tops->size() != draft.size() + 1)
    return no_such("likeliest tokens");
  Round round;
  auto top = tops->begin();
  std::size_t place = 0;
  for (const JsonValue input : *inputs) {
    // Checks that the answer is about these positions.
    if (token_of_entry(input) != (place == 0 ? written.back() : draft[place - 1]))
      return no_such("likeliest tokens");
    if (place++ > 0) {
      const JsonValue likeliest = *top;
      if (likeliest.kind() != JsonValue::Kind::kArray || likeliest.size() == 0)
        return no_such("likeliest tokens");
      const std::optional<TokenId> token = token_of_entry(*likeliest.begin());
      if (!token) return no_such("likeliest tokens");
      round.likeliest.push_back(*token);
    }
    ++top;
  }
  const Result<Finish> finish = finish_in(*meta);
  if (!finish) return finish.error();
  const std::optional<std::vector<TokenId>> next = tokens_in(root.find("output_ids"));
  if (!finish->ended && (!next || next->size() != 1)) return no_such("tokens");
  if (!finish->ended) round.next = next->front();
  round.cached_tokens = count_in(*meta, "cached_tokens");
  return round;
}

ExchangeRequest generate_request(std::span<const TokenId> written, int max_tokens) {
  return post("/generate", {{"input_ids", joined(written, {})},
                            {"sampling_params", sampling(max_tokens)},
                            {"stream", true}});
}

Result<GeneratedPiece> GeneratedStream::read(std::string_view event) {
  const Result<JsonDocument> document = parsed(event);
  if (!document) return document.error();
  const JsonValue root = document->root();
  const std::optional<JsonValue> meta = root.find("meta_info"), said = root.find("text");
  std::optional<std::vector<TokenId>> tokens = tokens_in(root.find("output_ids"));
  if (!meta || !said || !tokens) return no_such("tokens");
  const Result<std::string_view> text = said->text();
  if (!text) return no_such("tokens");
  const Result<Finish> finish = finish_in(*meta);
  if (!finish) return finish.error();
  GeneratedPiece piece{.tokens = std::move(*tokens),
                       .text = std::string(*text),
                       .ended = finish->ended,
                       .cut = finish->cut,
                       .cached_tokens = count_in(*meta, "cached_tokens")};
  const auto count = static_cast<std::size_t>(count_in(*meta, "completion_tokens"));
  if (count < seen_) return no_such("tokens");
  if (piece.tokens.size() == count) {  // the event contains all tokens
    if (!piece.text.starts_with(text_)) return no_such("tokens");
    piece.text.erase(0, text_.size());
    piece.tokens.erase(piece.tokens.begin(),
                       piece.tokens.begin() + static_cast<std::ptrdiff_t>(seen_));
  } else if (piece.tokens.size() != count - seen_) {
    return no_such("tokens");
  }
  text_ += piece.text;
  seen_ = count;
  return piece;
}

}  // namespace redraft
