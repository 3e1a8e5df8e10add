// The long version of lossless_test: short outputs of two real models by every strict decoder, on
// one thread and on two, byte for byte as plain greedy decoding writes them; and how close the
// plain outputs came to being different.
#include <gtest/gtest.h>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/margins.h"
#include "decoding/decoder_definition.h"
#include "decoding/model/model_loader.h"
#include "decoding/model/model_store.h"
#include "decoding/prefix_pool.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/random_decoder.h"
#include "tests/kit/sweep_prompts.h"

namespace redraft {
namespace {

constexpr int kContext = 2048;
constexpr std::size_t kCacheBytes = std::size_t{256} << 20;
constexpr int kWrongPercent = 20;

// A draft model that equals the target except at some places, so that its drafts are accepted in
// part.
class DistractedModel : public LanguageModel {
 public:
  explicit DistractedModel(LanguageModel& model) : model_(model) {}

  std::string name() const override { return model_.name() + ", distracted"; }
  int vocabulary_size() const override { return model_.vocabulary_size(); }
  int context_length() const override { return model_.context_length(); }
  std::unique_ptr<KvCache> new_cache(int capacity) const override {
    return model_.new_cache(capacity);
  }
  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    Predictions predictions = model_.forward(context, draft, cache, needs);
    for (TokenId& token : predictions.argmax) {
      const TokenId place[] = {token, cache.length()};
      if (hash_of(0, place) % 100 < kWrongPercent) token = (token + 1) % vocabulary_size();
    }
    return predictions;
  }

 private:
  LanguageModel& model_;
};

// A model on a number of threads, with what it keeps from request to request.
struct Runner {
  Runner(const std::filesystem::path& file, int threads) : pool(threads) {
    auto model = load_model(file, pool);
    EXPECT_TRUE(model) << model.error().message();
    loaded = *std::move(model);
    drafter = std::make_unique<DistractedModel>(*loaded.model);
    const Tokenizer& tokenizer = *loaded.tokenizer;
    memory = DecoderMemory(
        std::make_shared<LineTable>(tokenizer.vocabulary_size(),
                                    [&](TokenId token) { return tokenizer.bytes(token); }),
        loaded.tokenizer);
  }

  DecodeResult run(const std::string& decoder, const DecodeRequest& request,
                   const CostCurve& cost) {
    const PrefixPool::Lease target = caches.acquire(*loaded.model, request.prompt);
    const PrefixPool::Lease draft = caches.acquire(*drafter, request.prompt);
    return decode(decoder, {loaded.model.get(), &target.cache()}, {drafter.get(), &draft.cache()},
                  request, cost, nullptr, {}, &memory);
  }

  ThreadPool pool;
  LoadedModel loaded;
  std::unique_ptr<DistractedModel> drafter;
  PrefixPool caches{kContext, kCacheBytes};
  DecoderMemory memory;
};

class RealSweep : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const auto file = find_model(GetParam());
    ASSERT_TRUE(file) << file.error().message();
    for (const int threads : {1, 2}) runners.push_back(std::make_unique<Runner>(*file, threads));
  }

  void run_prompt(const SweepPrompt& prompt, int number) {
    SCOPED_TRACE(prompt.name);
    // A machine on which rows are cheap, for long chains and branches, and one on which they are
    // expensive.
    static const CostCurve curves[] = {CostCurve({{1, 1}, {64, 3}}),
                                       CostCurve({{1, 1}, {8, 1.35}, {16, 2.5}, {64, 9.7}})};
    const DecodeResult plain = runners[0]->run("ar", prompt.request, {});
    compare("ar", *runners[1], prompt.request, {}, plain);
    for (const DecoderDefinition* definition : all_decoders().subspan(1)) {  // all but `ar`
      const std::string decoder =
          number % 2 ? random_decoder(random, *definition) : std::string(definition->name);
      if (!fits(decoder)) continue;  // no head was trained, say
      for (const auto& runner : runners) {
        if (between(random, 0, 7) == 0) runner->memory.forget();
        compare(decoder, *runner, prompt.request, curves[between(random, 0, 1)], plain);
      }
    }
    // This decoder verifies nothing and so proves that the comparison would see it.
    if (runners[1]->run("efficientedit:direct", prompt.request, {}).tokens != plain.tokens)
      ++lossy_differences;
    const auto counts =
        margin_histogram(*runners.back()->loaded.model, prompt.request.prompt, plain.tokens, {});
    for (int i = 0; i < kMarginClasses; ++i) margins[i] += counts[i];
  }

  bool fits(const std::string& decoder) {
    const auto name = parse_decoder_name(decoder);
    const Runner& runner = *runners[0];
    return name && name->definition().fits(name->options(), *runner.loaded.model, runner.memory);
  }

  void compare(const std::string& decoder, Runner& runner, const DecodeRequest& request,
               const CostCurve& cost, const DecodeResult& plain) {
    SCOPED_TRACE(testing::Message() << decoder << ", " << runner.pool.threads() << " threads");
    const DecodeResult result = runner.run(decoder, request, cost);
    expect_sums(result);
    ++runs;
    tokens += static_cast<long>(result.tokens.size());
    passes += result.statistics.passes;
    const bool same = result.tokens == plain.tokens && result.finish_reason == plain.finish_reason;
    EXPECT_TRUE(same) << runner.loaded.tokenizer->decode(result.tokens) << "\n--- instead of\n"
                      << runner.loaded.tokenizer->decode(plain.tokens);
    if (!same) ++differences;
  }

  // tools/run_tests.py shows it.
  void report() const {
    const std::string sweep = std::string("sweep ") + GetParam();
    std::cout << sweep << ": runs=" << runs << " tokens=" << tokens << " passes=" << passes
              << " differences=" << differences << "\n"
              << sweep << " margins:";
    for (int i = 0; i + 1 < kMarginClasses; ++i)
      std::cout << " <" << kMarginEnds[i] << "=" << margins[i];
    std::cout << " more=" << margins.back() << std::endl;
  }

  Random random{20};
  std::vector<std::unique_ptr<Runner>> runners;  // on one thread, on two
  std::vector<long> margins = std::vector<long>(kMarginClasses);
  long runs = 0;
  long tokens = 0;
  long passes = 0;
  long differences = 0;
  long lossy_differences = 0;  // of a decoder that accepts everything the draft model says
};

TEST_P(RealSweep, EveryStrictDecoderWritesWhatPlainDecodingWrites) {
  PromptEncoder encoder(*runners[0]->loaded.tokenizer);
  const std::vector<SweepPrompt> prompts = sweep_prompts(encoder, REDRAFT_CASES);
  ASSERT_GT(prompts.size(), 60U);
  for (std::size_t i = 0; i < prompts.size(); ++i) run_prompt(prompts[i], static_cast<int>(i));
  report();
  EXPECT_EQ(differences, 0);
  EXPECT_GT(lossy_differences, 20);
  EXPECT_GT(tokens, passes + passes / 4);  // a sweep without drafts would find nothing
}

INSTANTIATE_TEST_SUITE_P(Models, RealSweep, testing::Values("smollm2-135m", "qwen2.5-coder-0.5b"));

}  // namespace
}  // namespace redraft
