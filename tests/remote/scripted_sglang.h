#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "remote/exchange.h"

namespace redraft {

// A server with SGLang's routes, over a tokenizer of words and a model that has one answer to any
// chat. It has a clock: a request takes a round trip, a streamed token a step.
class ScriptedSglang final : public Exchange {
 public:
  using Json = nlohmann::json;
  static constexpr int kBegin = 1, kEnd = 2, kOther = 3;

  std::string answer;
  double round_trip = 0.02, step = 0.01;  // seconds
  bool sends_what_is_new = false;         // in a stream, instead of everything each time
  int tokens_an_event = 1;
  // If set: the status and body instead of an answer; called before each request.
  std::function<std::optional<ExchangeEnd>(const std::string& path, const Json& body)> fault;
  // If set: changes an answer, or an event of a stream.
  std::function<void(const std::string& path, Json& answer)> mangle;
  std::function<void()> before_token;
  // Before a token of a chat: so many comments, each of which takes ten seconds.
  std::function<int()> comments;

  double now = 0;
  std::map<std::string, int> requests;  // by path; rounds as "round"
  int streamed = 0;                     // tokens
  std::vector<int> drafts;              // of each round: its length
  std::vector<Json> bodies;

  Result<ExchangeEnd> run(const ExchangeRequest& request, const OnData& on_data,
                          const std::stop_token& stop) override {
    const Json body = Json::parse(request.body);
    const bool is_round = body.contains("return_logprob");
    ++requests[is_round ? "round" : request.path];
    bodies.push_back(body);
    now += round_trip;
    if (fault) {
      if (const auto end = fault(is_round ? "round" : request.path, body)) return *end;
    }
    if (stop.stop_requested()) return ExchangeEnd{.closed_by_us = true};
    if (request.path == "/tokenize") return tokenize(body, on_data);
    if (request.path == "/detokenize") return detokenize(body, on_data);
    if (is_round) return verify(body, on_data);
    if (request.path == "/generate") return generate(body, on_data, stop);
    return chat(body, on_data, stop);
  }

  // Words, runs of spaces, and single bytes of anything else.
  std::vector<int> tokens_of(const std::string& text) {
    std::vector<int> tokens;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at + 1;
      const auto goes_on = [&](auto is) {
        while (end < text.size() && is(text[at]) && is(text[end])) ++end;
      };
      goes_on([](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; });
      goes_on([](char c) { return c == ' '; });
      if (text.compare(at, 10, "<|im_end|>") == 0) end = at + 10;
      const std::string word = text.substr(at, end - at);
      if (!ids_.contains(word)) {
        ids_[word] = word == "<|im_end|>" ? kEnd : static_cast<int>(words_.size()) + 10;
        words_.push_back(word);
      }
      tokens.push_back(ids_[word]);
      at = end;
    }
    return tokens;
  }

 private:
  bool reply(const std::string& path, Json said, const OnData& on_data, bool is_event = false) {
    if (mangle) mangle(path, said);
    const std::string text = said.dump(-1, ' ', false, Json::error_handler_t::replace);
    return on_data(is_event ? "data: " + text + "\n\n" : text);
  }

  std::string text_of(const std::vector<int>& tokens) const {
    std::string text;
    for (const int token : tokens)
      if (token >= 10) text += words_.at(static_cast<std::size_t>(token - 10));
    return text;
  }

  // As a server shows it: what is no character yet is U+FFFD.
  static std::string shown(const std::string& text) {
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  ExchangeEnd tokenize(const Json& body, const OnData& on_data) {
    std::vector<int> tokens = {kBegin};
    if (body.contains("messages")) {
      for (const Json& message : body["messages"]) {
        const std::vector<int> said = tokens_of(message["content"]);
        tokens.insert(tokens.end(), said.begin(), said.end());
        prompt_ = tokens;
      }
    } else {
      const std::vector<int> said = tokens_of(body["prompt"]);
      tokens.insert(tokens.end(), said.begin(), said.end());
    }
    reply("/tokenize", {{"tokens", tokens}, {"count", tokens.size()}, {"max_model_len", 9000}},
          on_data);
    return {.status = 200};
  }

  ExchangeEnd detokenize(const Json& body, const OnData& on_data) {
    Json texts = Json::array();
    for (const Json& group : body["tokens"]) texts.push_back(shown(text_of(group)));
    reply("/detokenize", {{"text", texts}}, on_data);
    return {.status = 200};
  }

  // What the model writes behind that.
  int next_after(const std::vector<int>& input) {
    if (answer != known_answer_) whole_ = tokens_of(known_answer_ = answer);
    const std::vector<int>& whole = whole_;
    const std::size_t written = input.size() - prompt_.size();
    const bool is_its_own =
        std::equal(prompt_.begin(), prompt_.end(), input.begin()) && written <= whole.size() &&
        std::equal(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(written),
                   input.begin() + static_cast<std::ptrdiff_t>(prompt_.size()));
    if (!is_its_own) return kOther;
    return written == whole.size() ? kEnd : whole[written];
  }

  static Json figures(int prompt, int tokens, int last, bool is_last, bool cut) {
    Json finish = nullptr;
    if (is_last && last == kEnd) finish = {{"type", "stop"}, {"matched", kEnd}};
    if (is_last && cut) finish = {{"type", "length"}, {"length", tokens}};
    return {{"prompt_tokens", prompt},
            {"completion_tokens", tokens},
            {"cached_tokens", 5},
            {"finish_reason", finish}};
  }

  ExchangeEnd verify(const Json& body, const OnData& on_data) {
    const std::vector<int> input = body["input_ids"];
    const std::size_t from = body["logprob_start_len"];
    drafts.push_back(static_cast<int>(input.size() - from) - 1);
    Json inputs = Json::array(), tops = Json::array();
    for (std::size_t place = from; place < input.size(); ++place) {
      if (place == from) {
        inputs.push_back({nullptr, input[place], nullptr});
        tops.push_back(nullptr);
        continue;
      }
      const std::vector<int> before(input.begin(),
                                    input.begin() + static_cast<std::ptrdiff_t>(place));
      inputs.push_back({-0.5, input[place], nullptr});
      tops.push_back(Json::array({Json::array({-0.1, next_after(before), nullptr})}));
    }
    const int next = next_after(input);
    Json meta = figures(static_cast<int>(input.size()), 1, next, true, next != kEnd);
    meta["input_token_logprobs"] = inputs;
    meta["input_top_logprobs"] = tops;
    reply("round", {{"text", shown(text_of({next}))}, {"output_ids", {next}}, {"meta_info", meta}},
          on_data);
    return {.status = 200};
  }

  ExchangeEnd generate(const Json& body, const OnData& on_data, const std::stop_token& stop) {
    std::vector<int> input = body["input_ids"];
    const int prompt = static_cast<int>(input.size());
    const int most = body["sampling_params"]["max_new_tokens"];
    std::vector<int> tokens, unsent;
    std::string sent;
    while (true) {
      if (before_token) before_token();
      if (stop.stop_requested()) return {.status = 200, .closed_by_us = true};
      now += step;
      ++streamed;
      const int next = next_after(input);
      for (std::vector<int>* list : {&input, &tokens, &unsent}) list->push_back(next);
      const int count = static_cast<int>(tokens.size());
      const bool is_last = next == kEnd || count == most;
      if (!is_last && count % tokens_an_event != 0) continue;
      // A character that is not whole is held back.
      std::string text = shown(text_of(tokens));
      while (!is_last && text.ends_with("\xEF\xBF\xBD")) text.resize(text.size() - 3);
      const Json event{
          {"text", sends_what_is_new ? text.substr(sent.size()) : text},
          {"output_ids", sends_what_is_new ? unsent : tokens},
          {"meta_info", figures(prompt, count, next, is_last, next != kEnd && count == most)}};
      sent = text;
      unsent.clear();
      if (!reply("/generate", event, on_data, true)) return {.status = 200, .closed_by_us = true};
      if (is_last) break;
    }
    on_data("data: [DONE]\n\n");
    return {.status = 200};
  }

  ExchangeEnd chat(const Json& body, const OnData& on_data, const std::stop_token& stop) {
    const std::string turn = body["messages"].back()["content"];
    const std::string written = turn.substr(std::string("```\n").size());
    if (!answer.starts_with(written))
      return {.status = 400, .refusal = "a turn of somebody else's"};
    const int most = body.value("max_tokens", 1 << 20);
    int count = 0;
    std::string held;
    for (const int token : tokens_of(answer.substr(written.size()))) {
      if (before_token) before_token();
      for (int left = comments ? comments() : 0; left > 0; --left) {
        now += 10;
        if (!on_data(": still here\n\n")) return {.status = 200, .closed_by_us = true};
      }
      if (stop.stop_requested()) return {.status = 200, .closed_by_us = true};
      if (count == most) break;
      ++count;
      ++streamed;
      now += step;
      held += text_of({token});
      if (shown(held) != held) continue;
      const Json event{{"choices", {{{"delta", {{"content", std::exchange(held, {})}}}}}}};
      if (!reply("chat", event, on_data, true)) return {.status = 200, .closed_by_us = true};
    }
    const bool cut = count == most;
    on_data(std::string("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"") +
            (cut ? "length" : "stop") + "\"}]}\n\ndata: [DONE]\n\n");
    return {.status = 200};
  }

  std::vector<int> prompt_;  // of the last chat
  std::string known_answer_;
  std::vector<int> whole_;  // its tokens
  std::vector<std::string> words_;
  std::map<std::string, int> ids_;
};

}  // namespace redraft
