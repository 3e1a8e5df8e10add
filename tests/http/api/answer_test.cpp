#include "http/api/answer.h"

#include <gtest/gtest.h>

namespace redraft::http {
namespace {

GenerationEnd an_end() {
  GenerationEnd end{.choices = {{.reason = ChoiceEnd::Reason::kLength}}};
  end.statistics.prompt_tokens = 10;
  end.statistics.cached_prompt_tokens = 4;
  end.statistics.new_tokens = 6;
  end.choices[0].statistics = end.statistics;
  end.prediction_tokens = 5;
  end.accepted_prediction_tokens = 3;
  return end;
}

// An answer with one text.
Json whole_of(const Answer& answer, const AnswerPart& text, const GenerationEnd& end) {
  return answer.whole({&text, 1}, end);
}

// The data of each event; the framing is as the standard says.
std::vector<std::string> data_of(std::string_view events) {
  std::vector<std::string> data;
  while (!events.empty()) {
    const std::size_t end = events.find("\n\n");
    EXPECT_TRUE(events.starts_with("data: ") && end != std::string_view::npos) << events;
    if (end == std::string_view::npos) break;
    data.emplace_back(events.substr(6, end - 6));
    EXPECT_EQ(data.back().find('\n'), std::string::npos);
    events.remove_prefix(end + 2);
  }
  return data;
}

TEST(Answer, IsAChatCompletion) {
  const Generation chat{.interface = Interface::kChat};
  const Json whole = whole_of(Answer(chat, "m", 5, 1), {"text"}, an_end());
  EXPECT_EQ(whole["object"], "chat.completion");
  EXPECT_EQ(whole["model"], "m");
  EXPECT_EQ(whole["choices"][0]["message"]["content"], "text");
  EXPECT_EQ(whole["choices"][0]["message"]["role"], "assistant");
  EXPECT_EQ(whole["choices"][0]["finish_reason"], "length");
  EXPECT_EQ(whole["usage"], Json::parse(R"({"prompt_tokens": 10, "completion_tokens": 6,
    "total_tokens": 16, "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"accepted_prediction_tokens": 3,
                                  "rejected_prediction_tokens": 2}})"));
}

TEST(Answer, IsATextCompletion) {
  const Generation plain;
  const Json whole = whole_of(Answer(plain, "m", 5, 1), {"text"}, an_end());
  EXPECT_EQ(whole["object"], "text_completion");
  EXPECT_EQ(whole["choices"][0]["text"], "text");
}

TEST(Answer, StreamsAChatInEventsOfOneLine) {
  const Generation chat{.interface = Interface::kChat, .stream = true, .include_usage = true};
  const Answer answer(chat, "m", 5, 1);
  const auto data = data_of(answer.first_events() + answer.part_event({"a\n\ndata: b"}) +
                            answer.last_events(an_end()));
  ASSERT_EQ(data.size(), 5U);
  EXPECT_EQ(Json::parse(data[0])["choices"][0]["delta"],
            Json::parse(R"({"role": "assistant", "content": ""})"));
  EXPECT_EQ(Json::parse(data[1])["choices"][0]["delta"]["content"], "a\n\ndata: b");
  EXPECT_TRUE(Json::parse(data[1])["choices"][0]["finish_reason"].is_null());
  EXPECT_EQ(Json::parse(data[2])["choices"][0]["finish_reason"], "length");
  EXPECT_TRUE(Json::parse(data[2])["usage"].is_null());
  EXPECT_TRUE(Json::parse(data[3])["choices"].empty());
  EXPECT_EQ(Json::parse(data[3])["usage"]["total_tokens"], 16);
  EXPECT_EQ(data[4], "[DONE]");
}

TEST(Answer, HasThoughtsApartFromTheText) {
  const Generation chat{.interface = Interface::kChat};
  const Answer answer(chat, "m", 5, 1);
  const auto delta = [&](const AnswerPart& part) {
    return Json::parse(data_of(answer.part_event(part)).at(0))["choices"][0]["delta"];
  };
  EXPECT_EQ(delta({.text = {}, .thoughts = "hm"}), Json::parse(R"({"reasoning_content": "hm"})"));
  EXPECT_EQ(delta({.text = "a", .thoughts = "hm"}),
            Json::parse(R"({"content": "a", "reasoning_content": "hm"})"));
  EXPECT_EQ(delta({.text = "a"}), Json::parse(R"({"content": "a"})"));
  const Json whole = whole_of(answer, {.text = "a", .thoughts = "hm"}, an_end());
  EXPECT_EQ(whole["choices"][0]["message"]["reasoning_content"], "hm");
  EXPECT_FALSE(
      whole_of(answer, {"a"}, an_end())["choices"][0]["message"].contains("reasoning_content"));
}

TEST(Answer, StreamsNoUsageUnlessItIsAskedFor) {
  const Generation plain{.stream = true};
  const Answer answer(plain, "m", 5, 1);
  const auto data = data_of(answer.first_events() + answer.last_events(an_end()));
  ASSERT_EQ(data.size(), 2U);
  EXPECT_FALSE(Json::parse(data[0]).contains("usage"));
}

TEST(Answer, SaysHowLikelyItsTokensWere) {
  const AnswerPart part{"é", {{"\xC3", -0.5, {{"\xC3", -0.5}, {"e", -1}}}, {"\xA9", 0}}};
  Generation chat{.interface = Interface::kChat};
  EXPECT_TRUE(
      whole_of(Answer(chat, "m", 5, 1), part, an_end())["choices"][0]["logprobs"].is_null());
  chat.log_probabilities = 2;
  const Json tokens =
      whole_of(Answer(chat, "m", 5, 1), part, an_end())["choices"][0]["logprobs"]["content"];
  ASSERT_EQ(tokens.size(), 2U);
  EXPECT_EQ(tokens[0]["bytes"], Json::array({0xC3}));
  EXPECT_EQ(tokens[0]["logprob"], -0.5);
  EXPECT_EQ(tokens[0]["top_logprobs"][1]["token"], "e");
  Generation plain;
  plain.log_probabilities = 2;
  const Json lists = whole_of(Answer(plain, "m", 5, 1), part, an_end())["choices"][0]["logprobs"];
  EXPECT_EQ(lists["token_logprobs"], Json::parse("[-0.5, 0.0]"));
  EXPECT_EQ(lists["top_logprobs"][0]["e"], -1);
}

// Of two texts.
GenerationEnd two_ends() {
  GenerationEnd end = an_end();
  end.choices.push_back({.reason = ChoiceEnd::Reason::kEndOfText});
  return end;
}

TEST(Answer, HasSeveralTexts) {
  const std::vector<AnswerPart> texts = {{"a"}, {"b"}};
  const Generation chat{.interface = Interface::kChat, .choices = 2};
  const Json whole = Answer(chat, "m", 5, 1).whole(texts, two_ends());
  ASSERT_EQ(whole["choices"].size(), 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(whole["choices"][i]["index"], i);
    EXPECT_EQ(whole["choices"][i]["message"]["content"], i == 0 ? "a" : "b");
    EXPECT_EQ(whole["choices"][i]["finish_reason"], i == 0 ? "length" : "stop");
  }
  const Generation fill{.interface = Interface::kInfill, .choices = 2};
  const Json fills = Answer(fill, "m", 5, 1).whole(texts, two_ends());
  ASSERT_EQ(fills.size(), 2U);
  EXPECT_EQ(fills[1]["index"], 1);
  EXPECT_EQ(fills[1]["content"], "b");
  EXPECT_EQ(fills[1]["stop_type"], "eos");
}

TEST(Answer, StreamsSeveralTexts) {
  const Generation chat{.interface = Interface::kChat, .choices = 2, .stream = true};
  const Answer answer(chat, "m", 5, 1);
  const auto data = data_of(answer.first_events() + answer.part_event({.text = "b", .choice = 1}) +
                            answer.last_events(two_ends()));
  ASSERT_EQ(data.size(), 6U);
  const auto choice = [&](std::size_t i) { return Json::parse(data[i])["choices"][0]; };
  EXPECT_EQ(choice(0)["index"], 0);
  EXPECT_EQ(choice(1)["index"], 1);
  EXPECT_EQ(choice(1)["delta"]["role"], "assistant");
  EXPECT_EQ(choice(2)["index"], 1);
  EXPECT_EQ(choice(2)["delta"]["content"], "b");
  EXPECT_EQ(choice(3)["finish_reason"], "length");
  EXPECT_EQ(choice(4)["finish_reason"], "stop");
  EXPECT_EQ(choice(4)["index"], 1);
}

TEST(Answer, OfAnInfillHasWhatLlamaCppAnswers) {
  Generation fill{.interface = Interface::kInfill};
  GenerationEnd end = an_end();
  end.choices[0].reason = ChoiceEnd::Reason::kStopString;
  end.choices[0].stopping_word = "END";
  const Json whole = whole_of(Answer(fill, "m", 5, 1), {"a\nb"}, end);
  EXPECT_EQ(whole["content"], "a\nb");
  EXPECT_EQ(whole["stop_type"], "word");
  EXPECT_EQ(whole["stopping_word"], "END");
  EXPECT_EQ(whole["tokens_predicted"], 6);
  EXPECT_EQ(whole["timings"]["prompt_n"], 6);
  fill.answer_fields = {"content", "timings/prompt_n", "timings/none", "content/x", ""};
  EXPECT_EQ(whole_of(Answer(fill, "m", 5, 1), {"c"}, end),
            Json::parse(R"({"content": "c", "timings/prompt_n": 6})"));
}

}  // namespace
}  // namespace redraft::http
