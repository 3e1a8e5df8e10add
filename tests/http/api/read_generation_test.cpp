#include "http/api/read_generation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace redraft::http {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Generation read(Interface interface, const Json& body) {
  const auto read = read_generation(interface, body.dump());
  const auto* error = std::get_if<ApiError>(&read);
  EXPECT_EQ(error, nullptr) << (error ? error->message : "") << " in " << body;
  return error ? Generation() : std::get<Generation>(read);
}

ApiError refused(Interface interface, const std::string& body) {
  const auto read = read_generation(interface, body);
  const auto* error = std::get_if<ApiError>(&read);
  EXPECT_NE(error, nullptr) << body;
  return error ? *error : ApiError();
}

const Json kChat = {{"messages", Json::array({{{"role", "user"}, {"content", "hi"}}})}};
const Json kPrompt = {{"prompt", "def f"}};

Json with(Json body, const char* name, const Json& value) {
  body[name] = value;
  return body;
}

// Each of these is refused, and its name is in the error.
void expect_refused(Interface interface, const Json& body, const char* name, const Json& value) {
  const ApiError error = refused(interface, with(body, name, value).dump());
  EXPECT_EQ(error.status, 400) << name;
  EXPECT_TRUE(error.field == name || error.field.starts_with(std::string(name) + ".") ||
              error.field.starts_with(std::string(name) + "["))
      << name << " = " << value << ": " << error.message << ", field " << error.field;
  EXPECT_THAT(error.message, HasSubstr(name));
}

TEST(ReadGeneration, ReadsAChat) {
  const Generation chat =
      read(Interface::kChat,
           Json::parse(R"({"model": "m", "messages": [{"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
        {"role": "assistant", "content": "c", "tool_calls": [], "reasoning_content": "d"}],
        "max_completion_tokens": 7, "stop": ["x", "y"], "stream": true,
        "stream_options": {"include_usage": true}, "temperature": 0, "top_p": 0.5, "seed": -3,
        "prediction": {"type": "content", "content": [{"type": "text", "text": "guess"}]},
        "n": 1, "user": "me", "store": false, "metadata": {"a": "b"}, "logprobs": false,
        "response_format": {"type": "text"}, "tools": [], "tool_choice": "none",
        "frequency_penalty": 0, "logit_bias": {}, "parallel_tool_calls": true,
        "reasoning_effort": null})"));
  ASSERT_EQ(chat.messages.size(), 3U);
  EXPECT_EQ(chat.messages[0].role, "system");
  EXPECT_EQ(chat.messages[1].text, "ab");
  EXPECT_EQ(chat.messages[2].role, "assistant");
  EXPECT_EQ(chat.max_tokens, 7);
  EXPECT_THAT(chat.stops, ElementsAre("x", "y"));
  EXPECT_EQ(chat.prediction, "guess");
  EXPECT_TRUE(chat.stream && chat.include_usage);
}

TEST(ReadGeneration, ReadsACompletion) {
  const Generation plain = read(Interface::kCompletions, kPrompt);
  EXPECT_EQ(plain.prompt, "def f");
  EXPECT_EQ(plain.max_tokens, 16);  // OpenAI's default
  EXPECT_FALSE(plain.suffix || plain.stream);
  EXPECT_EQ(read(Interface::kCompletions, with(kPrompt, "prompt", {"one"})).prompt, "one");
  EXPECT_EQ(read(Interface::kCompletions, with(kPrompt, "suffix", "")).suffix, "");
  EXPECT_THAT(read(Interface::kCompletions, with(kPrompt, "stop", "\n")).stops, ElementsAre("\n"));
  EXPECT_FALSE(read(Interface::kChat, kChat).max_tokens);  // as long as the context
}

// As llama.vim sends it.
TEST(ReadGeneration, ReadsAnInfill) {
  const Generation fill = read(
      Interface::kInfill,
      Json::parse(R"({"id_slot": 0, "input_prefix": "a\n", "input_suffix": "\nc", "prompt": "  b",
        "input_extra": [{"text": "x = 1\n", "time": [17, 3], "filename": "x.py"}],
        "n_predict": 128, "stop": [], "n_indent": 4, "top_k": 40, "top_p": 0.9, "stream": false,
        "samplers": ["top_k", "top_p", "infill"], "cache_prompt": true, "t_max_prompt_ms": 500,
        "t_max_predict_ms": 1000, "response_fields": ["content", "timings/prompt_n"]})"));
  EXPECT_EQ(fill.prompt, "a\n");
  EXPECT_EQ(fill.suffix, "\nc");
  EXPECT_EQ(fill.begun, "  b");
  ASSERT_EQ(fill.files.size(), 1U);
  EXPECT_EQ(fill.files[0].file, "x.py");
  EXPECT_EQ(fill.max_tokens, 128);
  EXPECT_EQ(fill.min_indent, 4);
  EXPECT_EQ(fill.time_limit, std::chrono::milliseconds(1000));
  EXPECT_THAT(fill.answer_fields, ElementsAre("content", "timings/prompt_n"));
  // How it has a prompt read that is still to come.
  EXPECT_EQ(read(Interface::kInfill, {{"n_predict", 0}, {"response_fields", {""}}}).max_tokens, 0);
}

TEST(ReadGeneration, ReadsWhichLikelihoodsAreTold) {
  EXPECT_EQ(read(Interface::kCompletions, with(kPrompt, "logprobs", 0)).log_probabilities, 0);
  const Json likely = with(with(kChat, "logprobs", true), "top_logprobs", 3);
  EXPECT_EQ(read(Interface::kChat, likely).log_probabilities, 3);
  EXPECT_FALSE(read(Interface::kChat, kChat).log_probabilities);
}

TEST(ReadGeneration, RefusesByNameWhatItDoesNotDo) {
  const std::vector<std::pair<const char*, Json>> all = {
      {"temperature", 2.1},
      {"temperature", -1},
      {"temperature", "0"},
      {"top_p", 1.5},
      {"n", 9},
      {"n", 0},
      {"seed", 0.5},
      {"stop", 7},
      {"stop", {"a", 7}},
      {"stop", std::vector<std::string>(kMaxStops + 1, "a")},
      {"max_tokens", 0},
      {"max_tokens", -2},
      {"max_tokens", 1.5},
      {"max_tokens", 18446744073709551615U},
      {"stream", "yes"},
      {"store", true},
      {"frequency_penalty", 0.1},
      {"presence_penalty", 1},
      {"logit_bias", {{"50", 1}}},
      {"model", 3},
      {"stream_options", {{"include_usage", true}}},
      {"prediction", "text"},
      {"prediction", {{"type", "other"}, {"content", ""}}},
      {"prediction", {{"type", "content"}}},
      {"something_new", 1}};
  for (const auto& [name, value] : all) {
    expect_refused(Interface::kChat, kChat, name, value);
    expect_refused(Interface::kCompletions, kPrompt, name, value);
  }
  const std::vector<std::pair<const char*, Json>> chat = {
      {"tools", {{{"type", "function"}}}},
      {"tool_choice", "required"},
      {"functions", {1}},
      {"response_format", {{"type", "json_object"}}},
      {"top_logprobs", 2},
      {"logprobs", 1},
      {"modalities", {"text", "audio"}},
      {"reasoning_effort", 3},
      {"audio", {{"voice", "a"}}},
      {"web_search_options", Json::object()}};
  for (const auto& [name, value] : chat) expect_refused(Interface::kChat, kChat, name, value);
  const std::vector<std::pair<const char*, Json>> completions = {
      {"echo", true}, {"logprobs", true},     {"logprobs", 21},   {"best_of", 9},
      {"suffix", 1},  {"prompt", {"a", "b"}}, {"prompt", {1, 2}}, {"prompt", nullptr}};
  for (const auto& [name, value] : completions)
    expect_refused(Interface::kCompletions, kPrompt, name, value);
  const std::vector<std::pair<const char*, Json>> infill = {
      {"n_predict", -2},    {"repeat_penalty", 1.1}, {"grammar", "x"},
      {"n_probs", 1},       {"mirostat", "on"},      {"input_extra", {{{"filename", "a"}}}},
      {"input_extra", "a"}, {"temperature", 2.5},    {"response_fields", "content"}};
  for (const auto& [name, value] : infill)
    expect_refused(Interface::kInfill, Json::object(), name, value);
}

TEST(ReadGeneration, ReadsAPlaceThatIsSpelled) {
  const Generation fill = read(Interface::kCompletions,
                               {{"prompt", "<|fim_prefix|>a = <|fim_suffix|>\nb<|fim_middle|>"}});
  EXPECT_EQ(fill.prompt, "a = ");
  EXPECT_EQ(fill.suffix, "\nb");
  EXPECT_EQ(
      read(Interface::kCompletions, {{"prompt", "<fim_prefix><fim_suffix><fim_middle>"}}).suffix,
      "");
  for (const char* text :
       {"<|fim_prefix|>a<|fim_middle|>", "x<|fim_prefix|>a<|fim_suffix|><|fim_middle|>",
        "<|fim_prefix|>a<|fim_suffix|>b<|fim_suffix|>c<|fim_middle|>",
        "<|fim_prefix|><|fim_prefix|><|fim_suffix|><|fim_middle|>", "<|fim_suffix|><|fim_middle|>"})
    EXPECT_EQ(read(Interface::kCompletions, {{"prompt", text}}).prompt, text) << "is text";
}

TEST(ReadGeneration, ReadsHowToSample) {
  const auto sampling = [](const Json& more) {
    Json request = kChat;
    request.update(more);
    return read(Interface::kChat, request).sampling;
  };
  EXPECT_TRUE(sampling(Json::object()).greedy());
  const SamplingOptions all = sampling({{"temperature", 0.5}, {"top_p", 0.25}, {"seed", -1}});
  EXPECT_EQ(all, (SamplingOptions{.temperature = 0.5, .top_p = 0.25, .seed = UINT64_MAX}));
  EXPECT_NE(sampling({{"temperature", 1}}).seed, sampling({{"temperature", 1}}).seed);
}

TEST(ReadGeneration, SamplesAsLlamaCppsClientsAsk) {
  for (const Interface interface : {Interface::kInfill, Interface::kCompletions}) {
    const auto sampling = [&](Json more) {
      more.update({{"prompt", "a"}, {"seed", 7}});
      return read(interface, more).sampling;
    };
    EXPECT_EQ(sampling({{"temperature", 0.5}, {"top_k", 40}, {"min_p", 0.1}}),
              (SamplingOptions{.temperature = 0.5, .seed = 7, .top_k = 40, .min_p = 0.1}));
    EXPECT_EQ(sampling({{"temperature", 0.5}, {"top_k", -1}}).top_k, 0);
    const Json all = {{"temperature", 0.8},   {"top_k", 40},         {"top_p", 0.95},
                      {"min_p", 0.05},        {"typical_p", 1},      {"xtc_probability", 0},
                      {"xtc_threshold", 0.1}, {"dry_base", 1.75},    {"dynatemp_range", 0},
                      {"repeat_last_n", 64},  {"repeat_penalty", 1}, {"mirostat_tau", 5},
                      {"top_n_sigma", -1}};
    const SamplingOptions expected{
        .temperature = 0.8, .top_p = 0.95, .seed = 7, .top_k = 40, .min_p = 0.05};
    EXPECT_EQ(sampling(all), expected);
    EXPECT_EQ(sampling(with(all, "samplers", "edskfypmxt")), expected);
    EXPECT_EQ(sampling(with(all, "samplers", {"top_k", "temperature"})),
              (SamplingOptions{.temperature = 0.8, .seed = 7, .top_k = 40}))
        << "a step that is not listed is not taken";
    const Json warm = {{"temperature", 0.8}, {"prompt", "a"}};
    for (const auto& [name, value] :
         std::vector<std::pair<const char*, Json>>{{"samplers", {"top_k", "infill"}},
                                                   {"samplers", "ki"},
                                                   {"samplers", "kk"},
                                                   {"mirostat", 2},
                                                   {"tfs_z", 0.5},
                                                   {"top_n_sigma", 1}})
      expect_refused(interface, warm, name, value);
    EXPECT_EQ(sampling({{"temperature", 0},
                        {"samplers", {"top_k", "infill"}},
                        {"mirostat", 2},
                        {"tfs_z", 0.5},
                        {"top_n_sigma", 1},
                        {"top_k", 3},
                        {"min_p", 0.5}})
                  .temperature,
              0)
        << "these keep the likeliest token";
    // These do not keep it, or are out of range.
    for (const Json& request : {warm, kPrompt}) {
      for (const auto& [name, value] :
           std::vector<std::pair<const char*, Json>>{{"typical_p", 0.5},
                                                     {"typ_p", 0.5},
                                                     {"xtc_probability", 0.5},
                                                     {"dynatemp_range", 0.1},
                                                     {"samplers", 3},
                                                     {"samplers", {"top_k", 3}},
                                                     {"top_k", -2},
                                                     {"top_k", 0.5},
                                                     {"min_p", 2}})
        expect_refused(interface, request, name, value);
    }
  }
}

// Fields that clients of llama.cpp's server send to any of its paths.
TEST(ReadGeneration, TakesLlamaCppsControls) {
  for (const Interface interface :
       {Interface::kInfill, Interface::kCompletions, Interface::kChat}) {
    Json request = interface == Interface::kChat ? kChat : kPrompt;
    request.update({{"n_cmpl", 1},
                    {"id_slot", -1},
                    {"n_predict", 5},
                    {"n_keep", 0},
                    {"t_max_predict_ms", 250},
                    {"n_indent", 2},
                    {"cache_prompt", false},
                    {"timings_per_token", false},
                    {"grammar", ""},
                    {"response_fields", {""}},
                    {"lora", Json::array()}});
    const Generation generation = read(interface, request);
    EXPECT_EQ(generation.max_tokens, 5);
    EXPECT_EQ(generation.time_limit, std::chrono::milliseconds(250));
    EXPECT_EQ(generation.min_indent, 2);
    EXPECT_EQ(read(interface, with(request, "n_predict", 0)).max_tokens, 0);
    EXPECT_FALSE(read(interface, with(request, "n_predict", -1)).max_tokens);
    for (const auto& [name, value] :
         std::vector<std::pair<const char*, Json>>{{"n_cmpl", 9},
                                                   {"grammar", "root ::= x"},
                                                   {"timings_per_token", true},
                                                   {"json_schema", Json::object()},
                                                   {"ignore_eos", true},
                                                   {"lora", {{{"id", 0}}}}})
      expect_refused(interface, request, name, value);
  }
}

TEST(ReadGeneration, ReadsALimitOfTokens) {
  const auto limit = [](const Json& more) {
    Json request = kChat;
    request.update(more);
    return read(Interface::kChat, request).max_tokens;
  };
  EXPECT_EQ(limit({{"max_tokens", 4.0}}), 4) << "JSON knows no difference";
  EXPECT_EQ(limit({{"max_tokens", 4}, {"max_completion_tokens", 4}, {"n_predict", 4}}), 4);
  EXPECT_FALSE(limit({{"max_tokens", -1}}));
  EXPECT_FALSE(limit({{"max_completion_tokens", -1}}));
  EXPECT_FALSE(read(Interface::kCompletions, with(kPrompt, "max_tokens", -1)).max_tokens);
  expect_refused(Interface::kChat, with(kChat, "max_completion_tokens", 3), "max_tokens", 4);
  expect_refused(Interface::kCompletions, with(kPrompt, "max_tokens", 3), "n_predict", -1);
}

TEST(ReadGeneration, TakesManyStopStrings) {
  std::vector<std::string> stops;
  for (std::size_t i = 0; i < kMaxStops; ++i) stops.push_back("<" + std::to_string(i) + ">");
  EXPECT_EQ(read(Interface::kCompletions, with(kPrompt, "stop", stops)).stops, stops);
  EXPECT_THAT(read(Interface::kInfill, {{"stop", {"", "a", ""}}}).stops, ElementsAre("a"));
}

TEST(ReadGeneration, AChatMaySayThatThereAreNoTools) {
  for (const char* choice : {"none", "auto"}) {
    read(Interface::kChat, with(kChat, "tool_choice", choice));
    read(Interface::kChat, with(with(kChat, "function_call", choice), "tools", Json::array()));
  }
  read(Interface::kChat, with(kChat, "reasoning_effort", "low"));
  expect_refused(Interface::kChat, with(kChat, "tool_choice", "auto"), "tools", {{"type", "x"}});
}

TEST(ReadGeneration, AnAssistantMayHaveSaidNothing) {
  for (const char* said : {R"("content": null)", R"("tool_calls": [])", R"("content": "")"}) {
    const Generation chat =
        read(Interface::kChat, Json::parse(R"({"messages": [{"role": "user", "content": "a"},
            {"role": "assistant", )" + std::string(said) +
                                           R"(}, {"role": "user", "content": "b"}]})"));
    ASSERT_EQ(chat.messages.size(), 3U);
    EXPECT_EQ(chat.messages[1].text, "");
  }
}

TEST(ReadGeneration, ReadsHowManyTextsAreAskedFor) {
  const auto choices = [](Interface interface, const Json& more) {
    Json request = interface == Interface::kChat ? kChat : kPrompt;
    request.update(more);
    const Generation generation = read(interface, request);
    return std::pair(generation.choices, generation.candidates);
  };
  EXPECT_EQ(choices(Interface::kChat, Json::object()), std::pair(1, 1));
  EXPECT_EQ(choices(Interface::kChat, {{"n", 3}, {"temperature", 1}}), std::pair(3, 3));
  EXPECT_EQ(choices(Interface::kChat, {{"n", 3}}), std::pair(3, 3)) << "the same three times";
  EXPECT_EQ(choices(Interface::kChat, {{"n_cmpl", 3}, {"n", 3}}), std::pair(3, 3));
  EXPECT_EQ(choices(Interface::kCompletions, {{"n", 2}, {"best_of", 8}}), std::pair(2, 8));
  EXPECT_EQ(choices(Interface::kInfill, {{"n_cmpl", 3}, {"temperature", 0.1}}), std::pair(3, 3));
  EXPECT_EQ(choices(Interface::kInfill, {{"n_cmpl", 3}}), std::pair(1, 1))
      << "the others would be the same";
  expect_refused(Interface::kChat, with(kChat, "n", 2), "n_cmpl", 3);
  expect_refused(Interface::kCompletions, with(kPrompt, "n", 3), "best_of", 2);
  expect_refused(Interface::kCompletions, with(kPrompt, "stream", true), "best_of", 2);
  expect_refused(Interface::kInfill, Json::object(), "n", 2);
}

TEST(ReadGeneration, AnyModelMayBeNamed) {
  for (const char* name : {"PLACEHOLDER", "gpt-4", ""})
    (void)read(Interface::kCompletions, with(kPrompt, "model", name));
  expect_refused(Interface::kChat, kChat, "model", 3);
}

TEST(ReadGeneration, RefusesMessagesThatItCannotShowTheModel) {
  const std::vector<std::pair<const char*, Json>> all = {
      {"role", "tool"},
      {"role", nullptr},
      {"content", nullptr},
      {"content", 5},
      {"name", "me"},
      {"tool_calls", {1}},
      {"reasoning_content", "d"},
      {"content", {{{"type", "image_url"}, {"image_url", {{"url", "x"}}}}}},
      {"content", {{{"type", "text"}}}},
      {"content", {{{"type", "text"}, {"text", 1}}}}};
  for (const auto& [name, value] : all) {
    Json body = kChat;
    body["messages"][0][name] = value;
    const ApiError error = refused(Interface::kChat, body.dump());
    EXPECT_THAT(error.field, HasSubstr("messages[0]." + std::string(name))) << value;
  }
  for (const char* messages : {"[]", "{}", "\"hi\"", "[1]", "null"}) {
    const std::string body = "{\"messages\": " + std::string(messages) + "}";
    EXPECT_THAT(refused(Interface::kChat, body).field, HasSubstr("messages"));
  }
}

TEST(ReadGeneration, RefusesWhatIsNoJsonOrTooMuch) {
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string("3"),
        std::string("{\"prompt\": \"\xFF\"}"), "{\"a\":" + std::string(300, '[') + "}"})
    EXPECT_EQ(refused(Interface::kCompletions, body).status, 400) << body;
  std::string many = "{\"prompt\": [1";
  for (int i = 0; i < (1 << 20); ++i) many += ",1";
  EXPECT_THAT(refused(Interface::kCompletions, many + "]}").message, HasSubstr("values"));
}

TEST(ReadGeneration, ShowsNoLongValueOfTheClientInAnError) {
  const ApiError error =
      refused(Interface::kChat, with(kChat, "store", std::string(5000, 'x')).dump());
  EXPECT_LT(error.message.size(), 300U);
  const ApiError name =
      refused(Interface::kChat, with(kChat, std::string(5000, 'x').c_str(), 1).dump());
  EXPECT_LT(name.message.size(), 300U);
}

}  // namespace
}  // namespace redraft::http
