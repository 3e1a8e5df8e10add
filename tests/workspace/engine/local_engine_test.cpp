#include "workspace/engine/local_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kit/byte_tokenizer.h"
#include "tests/kit/scripted_engine.h"
#include "tests/kit/scripted_model.h"
#include "text/byte_alphabet.h"

namespace redraft {
namespace {

using testing::HasSubstr;

LocalEngine::Model model(const std::string& name, std::shared_ptr<const Tokenizer> tokenizer,
                         int context_length = 4096) {
  const ScriptedModel::RandomOptions options{.vocabulary = tokenizer->vocabulary_size(),
                                             .context_length = context_length};
  return {name, std::make_unique<ScriptedModel>(ScriptedModel::random(1, options)),
          std::move(tokenizer)};
}

// Like byte_tokenizer(), but two bytes have swapped ids.
std::shared_ptr<const Tokenizer> other_tokenizer() {
  TokenizerSpec spec;
  const auto bytes = byte_tokenizer();
  spec.pre_tokenizer = "qwen2";
  for (TokenId id = 0; id < bytes->vocabulary_size(); ++id) {
    spec.tokens.push_back(id < 256
                              ? to_byte_alphabet(std::string(1, static_cast<char>(id == 97   ? 98
                                                                                  : id == 98 ? 97
                                                                                             : id)))
                              : bytes->display(id));
    spec.types.push_back(id < 256 ? 1 : 3);
  }
  return *Tokenizer::make(std::move(spec));
}

DecodeRequest request(const std::string& prompt, int max_new_tokens = 8) {
  DecodeRequest request;
  request.prompt = byte_tokenizer()->encode(prompt);
  request.max_new_tokens = max_new_tokens;
  return request;
}

TEST(LocalEngine, TakesADraftModelOfTheSameVocabularyOnly) {
  EXPECT_TRUE(LocalEngine::make(model("t", byte_tokenizer()), model("d", byte_tokenizer())));
  const auto refused =
      LocalEngine::make(model("big", byte_tokenizer()), model("small", other_tokenizer()));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("draft model small has another vocabulary than target big"));
  EXPECT_FALSE(LocalEngine::make({}, {}));
}

TEST(LocalEngine, TheContextIsTheSmallestOfAll) {
  EXPECT_EQ((*LocalEngine::make(model("t", byte_tokenizer(), 512), {}, {.context_limit = 1000}))
                ->context_length(),
            512);
  EXPECT_EQ((*LocalEngine::make(model("t", byte_tokenizer(), 512), {}, {.context_limit = 100}))
                ->context_length(),
            100);
  EXPECT_EQ(
      (*LocalEngine::make(model("t", byte_tokenizer(), 512), model("d", byte_tokenizer(), 256)))
          ->context_length(),
      256);
}

TEST(LocalEngine, SaysWhatItsModelsAre) {
  LocalEngine::Model target = model("t", byte_tokenizer());
  target.title = "Tiny";
  target.device = Device::cuda();
  const auto engine = *LocalEngine::make(std::move(target), model("d", byte_tokenizer()));
  EXPECT_EQ(engine->target_names(), "Tiny\nt");
  EXPECT_EQ(engine->draft_name(), "d");
  EXPECT_EQ(engine->device(), Device::cuda());
  EXPECT_EQ(engine->tokens_per_subword(), 1);
  EXPECT_TRUE(engine->reports_probabilities());
  EXPECT_TRUE(engine->reads_indexes());
  EXPECT_EQ(engine->own_decoder(), std::nullopt) << "requests choose it";
}

// Whoever watches every decode takes nothing from the one who asked for it.
TEST(LocalEngine, ASampledRequestIsWatchedAndTold) {
  const auto engine = *LocalEngine::make(model("t", byte_tokenizer()), {});
  int watched = 0;
  double told = 0;
  engine->observe({.on_begin = [](Purpose, const DecoderName&, const DecodeRequest&) {},
                   .on_emitted = [&](const EmittedToken&) { ++watched; },
                   .on_end = [](const DecodeResult&) {}});
  DecodeRequest sampled = request("a beginning");
  sampled.sampling = {.temperature = 1, .top_p = 0.9, .seed = 4};
  sampled.log_probabilities = 2;
  sampled.on_emitted = [&](const EmittedToken& token) {
    told += token.log_probability->log_probability;
  };
  const auto plain = engine->decode(Purpose::kEdit, *parse_decoder_name("ar"), sampled, {}, {});
  ASSERT_TRUE(plain);
  EXPECT_EQ(watched, std::ssize(plain->tokens));
  double sum = 0;
  for (const EmittedLogProbability& of : plain->log_probabilities) sum += of.log_probability;
  EXPECT_EQ(told, sum);
  EXPECT_LT(sum, 0);
  const auto drafted = engine->decode(Purpose::kEdit, {}, sampled, {}, {});
  ASSERT_TRUE(drafted);
  EXPECT_EQ(drafted->tokens, plain->tokens);
  EXPECT_EQ(drafted->log_probabilities, plain->log_probabilities);
}

TEST(LocalEngine, ASecondPromptPaysForItsOwnTokensOnly) {
  const auto engine = *LocalEngine::make(model("t", byte_tokenizer()), {});
  const DecoderName plain = *parse_decoder_name("ar");
  const auto first =
      engine->decode(Purpose::kEdit, plain, request("the same beginning, then this"), {}, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->statistics.cached_prompt_tokens, 0);
  const auto second =
      engine->decode(Purpose::kEdit, plain, request("the same beginning, then that"), {}, {});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->statistics.cached_prompt_tokens, 27);
  engine->clear_caches();
  EXPECT_EQ(engine->decode(Purpose::kEdit, plain, request("the same"), {}, {})
                ->statistics.cached_prompt_tokens,
            0);
}

TEST(LocalEngine, AsksForItsCostOnceAndMeasuresItOtherwise) {
  int asked = 0;
  LocalEngine::Model target = model("t", byte_tokenizer());
  target.find_cost = [&asked](LanguageModel&) {
    ++asked;
    return CostCurve({{1, 0.5}});
  };
  const auto engine = *LocalEngine::make(std::move(target), {});
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(engine->cost_curve().seconds(1), 0.5);
  EXPECT_EQ(engine->cost_curve().points().size(), 1U);
  EXPECT_EQ(asked, 1);
  EXPECT_GT((*LocalEngine::make(model("t", byte_tokenizer()), {}))->cost_curve().points().size(),
            2U);
}

TEST(LocalEngine, SeveralTextsStayWarmWithinTheBudget) {
  const std::string texts[] = {std::string(300, 'a') + "1", std::string(300, 'b') + "2"};
  const auto cached = [&](Engine& engine, const std::string& text, const std::string& end) {
    const auto result =
        engine.decode(Purpose::kEdit, *parse_decoder_name("ar"), request(text + end), {}, {});
    return result->statistics.cached_prompt_tokens;
  };
  const auto engine = *LocalEngine::make(model("t", byte_tokenizer()), {});
  const auto frugal = *LocalEngine::make(model("t", byte_tokenizer()), {},
                                         {.cache_bytes = 400 * ScriptedModel::kSlotBytes});
  for (const std::string& text : texts) {
    cached(*engine, text, "x");
    cached(*frugal, text, "x");
  }
  EXPECT_EQ(cached(*engine, texts[0], "y"), 301);
  EXPECT_EQ(cached(*engine, texts[1], "y"), 301);
  EXPECT_EQ(cached(*frugal, texts[0], "y"), 0);
  EXPECT_EQ(engine->cache_statistics().reused_tokens, 602);
  EXPECT_LE(frugal->cache_statistics().bytes, 400 * ScriptedModel::kSlotBytes);
}

TEST(LocalEngine, StatesHaveMemoryOfTheirOwn) {
  constexpr std::size_t kBytes = 400 * ScriptedModel::kSlotBytes;
  const auto budget = [](LocalEngine::Model target) {
    const auto engine = *LocalEngine::make(std::move(target), {}, {.cache_bytes = kBytes});
    return engine->cache_statistics().budget;
  };
  EXPECT_EQ(budget(model("t", byte_tokenizer())), kBytes);
  LocalEngine::Model hybrid = model("t", byte_tokenizer());
  static_cast<ScriptedModel&>(*hybrid.model).set_state();
  const std::size_t state = hybrid.model->new_cache(1)->storage()->state()->bytes();
  EXPECT_EQ(budget(std::move(hybrid)), kBytes + 4 * state);
}

TEST(LocalEngine, TheDraftModelFindsItsOwnPrefixes) {
  const auto engine =
      *LocalEngine::make(model("t", byte_tokenizer()), model("d", byte_tokenizer()));
  const DecoderName drafting = *parse_decoder_name("efficientedit");
  ASSERT_TRUE(
      engine->decode(Purpose::kEdit, drafting, request("the same beginning, then this"), {}, {}));
  ASSERT_TRUE(
      engine->decode(Purpose::kEdit, drafting, request("the same beginning, then that"), {}, {}));
  const PrefixPool::Statistics statistics = engine->cache_statistics();
  EXPECT_EQ(statistics.lookups, 4);
  EXPECT_EQ(statistics.hits, 2);
  EXPECT_EQ(statistics.reused_tokens, 2 * 27);
  EXPECT_EQ(statistics.caches, 2);
}

TEST(LocalEngine, OpenFilesAreEncodedOnceWhileTheyStayTheSame) {
  const auto engine = *LocalEngine::make(model("t", byte_tokenizer()), {});
  const auto a = *Document::make("a", 1, "ab");
  const auto b = *Document::make("b", 1, "c");
  const auto files = engine->open_files({a, b});
  EXPECT_EQ(*files, (std::vector<std::vector<TokenId>>{{97, 98}, {99}}));
  EXPECT_EQ(engine->open_files({a, b}), files);
  EXPECT_NE(engine->open_files({b, a}), files);
  const auto large = *Document::make("large", 1, std::string(2 << 20, 'x'));
  EXPECT_EQ(engine->open_files({a, large, b})->size(), 1U) << "up to a budget";
  const auto with_returns = *Document::make("c", 1, "a\r\nb");
  EXPECT_EQ(*engine->open_files({with_returns}), (std::vector<std::vector<TokenId>>{{97, 10, 98}}))
      << "as the model writes it";
}

// Writes the same text after every prompt, which ends with ":".
std::unique_ptr<LocalEngine> engine_that_writes(const std::string& answer) {
  const std::shared_ptr<const Tokenizer> tokenizer = byte_tokenizer();
  LocalEngine::Model target;
  target.model = std::make_unique<ScriptedModel>(
      tokenizer->vocabulary_size(), 4096,
      [answer, end = tokenizer->special("<|im_end|>")](std::span<const TokenId> sequence) {
        const auto written = static_cast<std::size_t>(
            sequence.end() - std::ranges::find(sequence, static_cast<TokenId>(':')));
        if (written == 0 || written > answer.size()) return end;
        return static_cast<TokenId>(answer[written - 1]);
      });
  target.tokenizer = tokenizer;
  target.find_cost = [](LanguageModel&) { return CostCurve({{1, 0.010}, {11, 0.020}}); };
  return *LocalEngine::make(std::move(target), {});
}

TEST(LocalEngine, ARequestThatRemembersNothingLeavesNothing) {
  std::string answer;
  for (int i = 1; i < 60; ++i) answer += std::to_string(i * i * i * 7919 % 99991) + "\n";
  const auto engine = engine_that_writes(answer);
  const auto remembered = [&](const char* prompt, Remembering remembering) {
    const auto result =
        engine->decode(Purpose::kEdit, *parse_decoder_name("redraft"),
                       request(prompt, static_cast<int>(answer.size())), {}, {}, remembering);
    EXPECT_EQ(byte_tokenizer()->decode(result->tokens), answer) << "whatever is remembered";
    constexpr auto kCache = static_cast<std::size_t>(DraftOrigin::kCache);
    return result->statistics.accepted_by_origin[kCache];
  };
  using enum Remembering;
  EXPECT_EQ(remembered("a:", kNothing), 0);
  EXPECT_EQ(remembered("b:", kNothing), 0) << "nothing is left";
  EXPECT_EQ(remembered("c:", kShared), 0) << "nor for others";
  EXPECT_EQ(remembered("d:", kNothing), 0) << "and nothing of theirs is there";
  EXPECT_GT(remembered("e:", kShared), static_cast<int>(answer.size()) / 2);
}

TEST(LocalEngine, SaysHowManyTokensAPromptNeeds) {
  const auto engine = *LocalEngine::make(model("t", byte_tokenizer()), {}, {.context_limit = 16});
  const auto result = engine->decode(Purpose::kEdit, *parse_decoder_name("ar"),
                                     request(std::string(20, 'x')), {}, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(),
              testing::AllOf(HasSubstr("20 tokens"), HasSubstr("holds 16")));
}

TEST(LocalEngine, ReportsAMissingDraftModelOfADecoder) {
  const auto engine = *LocalEngine::make(model("t", byte_tokenizer()), {});
  const auto result =
      engine->decode(Purpose::kEdit, *parse_decoder_name("efficientedit"), request("x"), {}, {});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("draft model"));
}

}  // namespace
}  // namespace redraft
