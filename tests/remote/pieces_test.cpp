// What a remote engine is made of: addresses, frames, events, the answers' beginnings, prompts and
// the interface's JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "remote/begun_answer.h"
#include "remote/completions_api.h"
#include "remote/event_stream.h"
#include "remote/frames.h"
#include "remote/generate_api.h"
#include "remote/http_fetch.h"
#include "remote/remote_address.h"
#include "remote/remote_prompt.h"
#include "remote/round_price.h"
#include "remote/server_text.h"
#include "text/prompt_encoder.h"

namespace redraft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

TEST(RemoteAddress, OfAUrl) {
  const Result<RemoteAddress> address = parse_remote_address("https://gpu.example:8443/team-a/v1/");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->shown(), "https://gpu.example:8443");
  EXPECT_EQ(address->base, "/team-a");
  EXPECT_TRUE(address->tls);
  EXPECT_EQ(parse_remote_address("http://[::1]:8000")->authority(), "[::1]:8000");
  EXPECT_EQ(parse_remote_address("http://localhost/v1")->base, "");
  EXPECT_EQ(parse_remote_address("https://a")->port, "443");
  EXPECT_EQ(parse_remote_address("https://a")->authority(), "a");
}

TEST(RemoteAddress, WhatIsNoneIsRefused) {
  for (const char* url : {"", "a:80", "ftp://a", "http://", "http://:80", "http://a:0",
                          "http://a:x", "http://a:99999", "http://[::1", "http://a b",
                          "http://a/x?y=1", "http://a\r\nX: y", "http://a/\r\nX", "http://[::1]x"})
    EXPECT_FALSE(parse_remote_address(url)) << url;
  const Result<RemoteAddress> with_key = parse_remote_address("https://me:secret@a");
  ASSERT_FALSE(with_key);
  EXPECT_THAT(with_key.error().message(), ::testing::Not(HasSubstr("secret")));
}

TEST(RemoteAddress, WhoCanRead) {
  EXPECT_TRUE(is_readable_on_the_way(*parse_remote_address("http://10.0.0.1:80")));
  EXPECT_FALSE(is_readable_on_the_way(*parse_remote_address("http://127.0.0.1:80")));
  EXPECT_FALSE(is_readable_on_the_way(*parse_remote_address("https://10.0.0.1")));
  EXPECT_FALSE(parse_remote_address("http://127.0.0.1.evil.example")->is_loopback());
}

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

TEST(RemoteProxy, OfTheEnvironment) {
  const RemoteAddress server = *parse_remote_address("https://api.example");
  EXPECT_FALSE(proxy_of_environment(server)->has_value());
  const Environment proxy("https_proxy", "proxy.example:3128");
  EXPECT_EQ(proxy_of_environment(server)->value().shown(), "http://proxy.example:3128");
  EXPECT_FALSE(proxy_of_environment(*parse_remote_address("https://localhost"))->has_value());
  EXPECT_FALSE(proxy_of_environment(*parse_remote_address("http://api.example"))->has_value());
  const Environment exempt("no_proxy", "other, .example");
  EXPECT_FALSE(proxy_of_environment(server)->has_value());
  EXPECT_TRUE(proxy_of_environment(*parse_remote_address("https://badexample"))->has_value());
}

TEST(RemoteProxy, APasswordIsRefusedAndNotShown) {
  const Environment proxy("https_proxy", "http://me:secret@proxy.example:3128");
  const auto found = proxy_of_environment(*parse_remote_address("https://api.example"));
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), ::testing::Not(HasSubstr("secret")));
}

TEST(Frames, InPiecesOfAnySize) {
  std::string bytes;
  append_frame({Frame::Kind::kRequest, 7, "GET\n/v1\n"}, bytes);
  append_frame({Frame::Kind::kEnd, 1U << 31, ""}, bytes);
  for (std::size_t step = 1; step <= bytes.size(); ++step) {
    FrameReader reader;
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      reader.add(std::string_view(bytes).substr(at, step));
      while (const std::optional<Frame> frame = *reader.next())
        seen.push_back(std::to_string(frame->exchange) + ":" + frame->payload);
    }
    EXPECT_THAT(seen, ElementsAre("7:GET\n/v1\n", "2147483648:")) << step;
  }
}

TEST(Frames, WhatIsNoneIsRefused) {
  FrameReader kind, size;
  kind.add(std::string(9, '\xff'));
  EXPECT_FALSE(kind.next());
  std::string huge(9, '\0');
  huge[8] = '\x7f';
  size.add(huge);
  EXPECT_FALSE(size.next());
}

std::vector<std::string> events_of(std::string_view text, std::size_t step) {
  EventStream stream;
  std::vector<std::string> events;
  for (std::size_t at = 0; at < text.size(); at += step) {
    EXPECT_TRUE(stream.add(text.substr(at, step), [&](std::string_view event) {
      events.emplace_back(event);
      return event != "last";
    }));
  }
  return events;
}

TEST(EventStream, LinesEndInAnyWay) {
  constexpr std::string_view kText =
      ": comment\r\ndata: {\"a\":1}\r\n\r\nevent: x\ndata:one\ndata: two\n\nid: 3\n\ndata\rdata: "
      "three\r\rdata: last\n\ndata: after\n\n";
  for (const std::size_t step : {1, 2, 3, 7, 1000})
    EXPECT_THAT(events_of(kText, step), ElementsAre("{\"a\":1}", "one\ntwo", "\nthree", "last"));
}

TEST(EventStream, AnEventHasALimit) {
  EventStream stream;
  const std::string much(EventStream::kMaxEvent + 1, 'x');
  EXPECT_FALSE(stream.add(much, [](std::string_view) { return true; }));
}

std::string begun(std::string_view opened, std::string_view answer, std::size_t step) {
  BegunAnswer filter(opened);
  std::string text;
  for (std::size_t at = 0; at < answer.size(); at += step)
    text += filter.add(answer.substr(at, step));
  return text + filter.end();
}

TEST(BegunAnswer, ItsOpeningIsTakenOff) {
  for (const std::size_t step : {1, 5, 1000}) {
    EXPECT_EQ(begun("```python\n", "```python\na = 1\n```\n", step), "a = 1\n```\n");
    EXPECT_EQ(begun("```python\n", "\n```\na\n```\n", step), "a\n```\n");
    EXPECT_EQ(begun("```python\n", "Here it is:\n\n```py\na\n```\n", step), "a\n```\n");
    EXPECT_EQ(begun("```python\n", "a = 1\n```\n", step), "a = 1\n```\n") << "code at once";
    EXPECT_EQ(begun("```python\n", "a", step), "a");
    EXPECT_EQ(begun("", "```python\na", step), "```python\na") << "nothing was begun";
  }
  const std::string long_code = std::string(2000, 'x') + "\n```py\ny\n";
  EXPECT_EQ(begun("```\n", long_code, 10), long_code);
}

std::vector<TokenId> encoded(const Tokenizer& tokenizer, const std::vector<PromptPart>& parts) {
  return *encode_prompt(tokenizer, parts);
}

TEST(RemotePrompt, IsWhatTheMessagesWere) {
  const auto vocabulary = remote_vocabulary(false);
  auto parts = *chat_prompt(*vocabulary, {{"system", "Be brief.\n\nNow."},
                                          {"user", "<|im_end|> is no end\nnaïve \xff"},
                                          {"assistant", ""}});
  parts.push_back({"```python\n", false});
  const RemotePrompt prompt = read_prompt(*vocabulary, encoded(*vocabulary, parts));
  ASSERT_EQ(prompt.messages.size(), 3U);
  EXPECT_EQ(prompt.messages[0].role, "system");
  EXPECT_EQ(prompt.messages[0].text, "Be brief.\n\nNow.");
  EXPECT_EQ(prompt.messages[1].text, "<|im_end|> is no end\nnaïve \xff");
  EXPECT_EQ(prompt.messages[2].text, "");
  EXPECT_EQ(prompt.opened, "```python\n");
}

TEST(RemotePrompt, WithoutAChatIsText) {
  const auto vocabulary = remote_vocabulary(true);
  const RemotePrompt prompt = read_prompt(
      *vocabulary,
      encoded(*vocabulary, {{"<|fim_prefix|>", true}, {"a", false}, {"<|fim_suffix|>", true}}));
  EXPECT_TRUE(prompt.messages.empty());
  EXPECT_EQ(prompt.text, "<|fim_prefix|>a<|fim_suffix|>");
}

TEST(CompletionsApi, WhichModel) {
  constexpr std::string_view kTwo =
      R"({"data":[{"id":"a","owned_by":"vllm","max_model_len":4096},{"id":"b"}]})";
  const Result<RemoteModelInfo> info = read_models(kTwo, "a");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->context_length, 4096);
  EXPECT_EQ(info->begun_turn, BegunTurn::kAskedFor);
  EXPECT_THAT(read_models(kTwo, "c").error().message(), HasSubstr("It has: a, b"));
  EXPECT_THAT(read_models(kTwo, "").error().message(), HasSubstr("--remote-model"));
  EXPECT_EQ(read_models(R"({"data":[{"id":"b"}]})", "")->name, "b");
  EXPECT_EQ(read_models(R"({"data":[{"id":"b","meta":{"n_ctx":99}}]})", "")->context_length, 99);
  for (const char* none :
       {"", "{}", "[]", R"({"data":[]})", R"({"data":[{"id":3}]})", R"({"data":3})"})
    EXPECT_FALSE(read_models(none, "")) << none;
}

TEST(CompletionsApi, WhatAServerCallsAModelIsShownAsALine) {
  const Result<std::vector<RemoteModelInfo>> list = read_model_list(
      R"({"data":[{"id":"a\u001b[2Jb","owned_by":"me","meta":{"n_ctx_train":5}},{"id":"c"},{}]})");
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 2U);
  EXPECT_EQ(list->front().server, "me");
  EXPECT_EQ(list->front().context_length, 5);
  EXPECT_FALSE(list->back().context_length);
  EXPECT_EQ(shown_line(list->front().name), "a [2Jb");
  EXPECT_EQ(shown_line(std::string(5000, 'x')).size(), 300U);
  const std::string two = R"({"data":[{"id":"a\u001b[2Jb"},{"id":"c"}]})";
  EXPECT_THAT(read_models(two, "").error().message(), HasSubstr("a [2Jb, c"));
}

const RemotePrompt kChat{.messages = {{"user", "hello"}}, .opened = "```\n", .text = {}};

TEST(CompletionsApi, ATurnThatIsBegun) {
  const auto body = [](BegunTurn turn) {
    return Json::parse(completion_request({.name = "m", .begun_turn = turn}, kChat, "x", 9).body);
  };
  const Json asked = body(BegunTurn::kAskedFor);
  EXPECT_EQ(asked["messages"][1]["content"], "```\n");
  EXPECT_EQ(asked["continue_final_message"], true);
  EXPECT_EQ(asked["repetition_penalty"], 1);
  EXPECT_EQ(asked["add_generation_prompt"], false);
  EXPECT_EQ(body(BegunTurn::kByItself)["messages"][1]["role"], "assistant");
  EXPECT_FALSE(body(BegunTurn::kByItself).contains("continue_final_message"));
  EXPECT_FALSE(body(BegunTurn::kByItself).contains("repetition_penalty"));
  EXPECT_EQ(body(BegunTurn::kNotAtAll)["messages"].size(), 1U);
  EXPECT_EQ(asked["temperature"], 0);
  EXPECT_FALSE(asked.contains("prediction"));
}

TEST(CompletionsApi, ALimitThatMayNotFitIsNotSent) {
  RemoteModelInfo model{.name = "m", .context_length = 1000};
  EXPECT_EQ(Json::parse(completion_request(model, kChat, "", 900).body)["max_tokens"], 900);
  EXPECT_FALSE(Json::parse(completion_request(model, kChat, "", 990).body).contains("max_tokens"));
  const RemotePrompt fill{.messages = {}, .opened = {}, .text = std::string(990, 'x')};
  EXPECT_EQ(Json::parse(completion_request(model, fill, "", 900).body)["max_tokens"], 256);
}

TEST(CompletionsApi, APredictionForWhoeverTakesIt) {
  const RemoteModelInfo model{.name = "m", .takes_prediction = true};
  EXPECT_EQ(Json::parse(completion_request(model, kChat, "text", 9).body)["prediction"]["content"],
            "text");
}

TEST(CompletionsApi, Pieces) {
  EXPECT_EQ(read_piece(R"({"choices":[{"delta":{"content":"a"},"finish_reason":null}]})")->text,
            "a");
  EXPECT_EQ(read_piece(R"({"choices":[{"text":"b","finish_reason":"stop"}]})")->ended, true);
  EXPECT_TRUE(read_piece(R"({"choices":[{"delta":{},"finish_reason":"length"}]})")->cut);
  const auto usage = read_piece(
      R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":8}}})");
  EXPECT_EQ(usage->prompt_tokens, 9);
  EXPECT_EQ(usage->cached_tokens, 8);
  EXPECT_EQ(usage->new_tokens, 4);
  EXPECT_FALSE(read_piece("no"));
  EXPECT_THAT(read_piece(R"({"error":{"message":"out of\u001b[31m memory"}})").error().message(),
              ::testing::EndsWith("out of [31m memory"));
}

TEST(CompletionsApi, TheTokensOfAChatAreThoseOfItsAnswer) {
  const RemoteModelInfo model{.name = "m", .begun_turn = BegunTurn::kAskedFor, .verifies = true};
  const ExchangeRequest tokens = chat_tokens_request(model, kChat);
  const Json asked = Json::parse(completion_request(model, kChat, "", 9).body);
  EXPECT_EQ(tokens.path, "/tokenize");
  const Json sent = Json::parse(tokens.body);
  for (const auto& [key, value] : sent.items()) EXPECT_EQ(asked[key], value);
  EXPECT_TRUE(sent.contains("continue_final_message"));
  EXPECT_TRUE(read_models(R"({"data":[{"id":"b","owned_by":"sglang"}]})", "")->verifies);
  EXPECT_FALSE(read_models(R"({"data":[{"id":"b","owned_by":"vllm"}]})", "")->verifies);
}

TEST(GenerateApi, ARoundAsksFromThePlaceBeforeTheDraft) {
  const std::vector<TokenId> written = {5, 6, 7}, draft = {8, 9};
  const Json asked = Json::parse(round_request(written, draft).body);
  EXPECT_EQ(asked["input_ids"], Json({5, 6, 7, 8, 9}));
  EXPECT_EQ(asked["logprob_start_len"], 2);
  EXPECT_EQ(asked["sampling_params"]["max_new_tokens"], 1);
  const Result<Round> round = read_round(
      R"({"text":"x","output_ids":[11],"meta_info":{"finish_reason":{"type":"length","length":1},
          "cached_tokens":3,"input_token_logprobs":[[null,7,null],[-1,8,null],[-2,9,null]],
          "input_top_logprobs":[null,[[-1,8,null]],[[-0.1,10,null]]]}})",
      written, draft);
  ASSERT_TRUE(round) << round.error().message();
  EXPECT_THAT(round->likeliest, ElementsAre(8, 10));
  EXPECT_EQ(round->next, 11);
  EXPECT_EQ(round->cached_tokens, 3);
}

TEST(GenerateApi, AStreamSendsAllOrWhatIsNew) {
  const auto event = [](const char* text, const Json& ids, int count) {
    return Json{{"text", text},
                {"output_ids", ids},
                {"meta_info", {{"completion_tokens", count}, {"finish_reason", nullptr}}}}
        .dump();
  };
  GeneratedStream all, news;
  EXPECT_EQ(all.read(event("a", {1}, 1))->text, "a");
  EXPECT_THAT(all.read(event("ab", {1, 2}, 2))->tokens, ElementsAre(2));
  EXPECT_EQ(all.read(event("abcd", {1, 2, 3, 4}, 4))->text, "cd");
  EXPECT_FALSE(all.read(event("ab", {1, 2}, 2))) << "taken back";
  EXPECT_EQ(news.read(event("a", {1}, 1))->text, "a");
  EXPECT_EQ(news.read(event("bc", {2, 3}, 3))->text, "bc");
  EXPECT_THAT(news.read(event("d", {4}, 4))->tokens, ElementsAre(4));
  EXPECT_FALSE(news.read(event("e", {5, 6, 7}, 5)));
}

// Of a server whose tokens are single bytes.
Result<std::optional<ServerText>> text_in_bytes(const std::string& text, int& questions) {
  std::vector<TokenId> tokens = {999};  // a control token
  for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
  return ServerText::make(text, tokens, [&](const std::vector<ServerText::Group>& groups) {
    ++questions;
    std::vector<std::string> texts;
    for (const ServerText::Group& group : groups) {
      std::string bytes;
      for (const TokenId token : group)
        if (token != 999) bytes += static_cast<char>(token);
      texts.push_back(
          Json::parse(Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
    return Result<std::vector<std::string>>(texts);
  });
}

TEST(ServerText, HasBordersBetweenCharacters) {
  int questions = 0;
  const auto text = text_in_bytes("a→é\xEF\xBF\xBDz", questions);
  ASSERT_TRUE(text && *text);
  EXPECT_EQ(questions, 2);
  EXPECT_EQ((*text)->tokens().size(), 10U);
  EXPECT_EQ((*text)->whole(0, 3), 1);
  EXPECT_EQ((*text)->whole(1, 8), 8);
  EXPECT_EQ((*text)->bytes(1, 9), "→é\xEF\xBF\xBDz");
  EXPECT_FALSE((*text)->is_border(2));
  questions = 0;
  EXPECT_TRUE(*text_in_bytes("plain", questions));
  EXPECT_EQ(questions, 1);
  EXPECT_FALSE(*text_in_bytes("\xFF", questions)) << "no text";
}

TEST(RoundPrice, RoundsPayWhereTheWayIsShort) {
  const auto price = [](double round_trip, double step) {
    RoundPrice made;
    made.saw_round(round_trip);
    made.saw_start(round_trip);
    made.saw_tokens(100 * step, 100);
    return made;
  };
  EXPECT_TRUE(RoundPrice().pays(100, 0, true)) << "nothing is known yet";
  EXPECT_FALSE(RoundPrice().pays(5, 0, true));
  EXPECT_TRUE(price(0.02, 0.01).pays(100, 0, true));
  EXPECT_FALSE(price(0.2, 0.007).pays(1000, 0, true));
  EXPECT_TRUE(price(0.2, 0.007).pays(1000, 100, true)) << "long runs go on";
  EXPECT_FALSE(price(0.2, 0.007).pays(20, 100, true)) << "to their end";
  EXPECT_FALSE(price(5, 0.001).pays(1000, 500, false));
  EXPECT_TRUE(price(0.02, 0.01).is_worth_asking(100));
  EXPECT_FALSE(price(0.2, 0.007).is_worth_asking(100));
  RoundPrice short_visits = price(0.05, 0.01);
  EXPECT_TRUE(short_visits.pays(1000, 6, true));
  for (int i = 0; i < 20; ++i) short_visits.saw_visit(3);
  EXPECT_FALSE(short_visits.pays(1000, 6, true));
  short_visits.forget_visits();
  EXPECT_TRUE(short_visits.pays(1000, 6, true));
  RoundPrice once_busy = price(9, 0.01);
  for (int i = 0; i < 30; ++i) once_busy.saw_start(0.02);
  EXPECT_TRUE(once_busy.pays(1000, 6, true));
}

TEST(CompletionsApi, ReasonsAreOneShortLine) {
  EXPECT_EQ(reason_of_refusal({.refusal = R"({"detail":"no\nsuch"})"}), "no such");
  EXPECT_EQ(reason_of_refusal({.refusal = R"({"error":"x"})"}), "x");
  EXPECT_EQ(reason_of_refusal({.refusal = "<html>"}), "<html>");
  EXPECT_LE(reason_of_refusal({.refusal = std::string(9999, 'x')}).size(), 300U);
  EXPECT_EQ(reason_of_refusal({}), "no reason given");
}

}  // namespace
}  // namespace redraft
