// What happens to requests when a GPU's memory is short, or the GPU is lost: on the emulated
// device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/gpu_room.h"
#include "cuda/runtime.h"
#include "cuda/self_check.h"
#include "decoding/acceptance.h"
#include "decoding/kernels/linear.h"
#include "decoding/model/transformer.h"
#include "tests/cuda/device_model.h"
#include "tests/cuda/emulated_device.h"
#include "tests/decoding/model/row_invariance.h"
#include "workspace/engine/engine_host.h"
#include "workspace/engine/local_engine.h"

namespace redraft::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kMiB = std::size_t{1} << 20;

TinyModel long_model(std::uint32_t seed = 1) {
  TinyModel model = small_model("qwen2", seed);
  model.context_length = 8192;
  return model;
}

class CudaMemory : public DeviceModelTest {
 protected:
  void TearDown() override { emulator::device() = {}; }

  // Only this many bytes are free from then on.
  static void leave(std::size_t bytes) {
    emulator::device().memory_bytes = emulator::used_memory() + bytes;
  }
  LocalEngine::Model engine_model(const TinyModel& tiny, bool gpu = true) {
    const auto files = files_of(tiny.writer());
    Result<TokenizerSpec> spec = files->tokenizer_spec();
    Result<std::shared_ptr<const Tokenizer>> tokenizer = Tokenizer::make(std::move(*spec));
    auto model = gpu ? load_transformer(files, pool_)
                     : redraft::load_transformer(files, kernels::best_isa(), pool_);
    EXPECT_TRUE(model && tokenizer);
    return {.name = "tiny",
            .model = std::move(*model),
            .tokenizer = *tokenizer,
            .device = gpu ? Device::cuda() : Device::cpu()};
  }
  std::unique_ptr<LocalEngine> engine(std::size_t cache_bytes) {
    auto made = LocalEngine::make(
        engine_model(long_model()), {},
        {.cache_bytes = cache_bytes,
         .notice = [this](const std::string& text) { notices_.push_back(text); }});
    EXPECT_TRUE(made) << made.error().message();
    return std::move(*made);
  }
  static DecodeResult run(Engine& engine, const std::vector<TokenId>& prompt) {
    DecodeRequest request;
    request.prompt = prompt;
    request.max_new_tokens = 3;
    const auto result =
        engine.decode(Purpose::kEdit, *parse_decoder_name("ar"), request, {}, std::stop_token());
    EXPECT_TRUE(result) << result.error().message();
    return *result;
  }

  std::vector<std::string> notices_;
};

TEST_F(CudaMemory, IsGivenBackByWhoCanDoWithoutFirst) {
  std::vector<DeviceMemory> spare;
  for (int i = 0; i < 3; ++i) spare.emplace_back(kMiB);
  DeviceQueue queue;
  queue.set_reclaim([&] {
    if (spare.empty()) return false;
    spare.pop_back();
    return true;
  });
  leave(0);
  const DeviceMemory wanted = queue.allocate(2 * kMiB);
  EXPECT_EQ(wanted.bytes(), 2 * kMiB);
  EXPECT_EQ(spare.size(), 1U) << "no more than is needed";
  EXPECT_THROW(queue.allocate(2 * kMiB), DeviceMemoryError);
}

TEST_F(CudaMemory, AnEngineThatRunsOutOfItForgetsEarlierRequests) {
  const auto target = on_gpu(small_model());
  std::vector<std::vector<TokenId>> prompts;
  for (std::uint32_t seed = 1; seed <= 4; ++seed)
    prompts.push_back(random_tokens(*target, 150, seed));
  std::vector<std::vector<TokenId>> expected;
  {
    const auto plenty = engine(64 * kMiB);
    for (const auto& prompt : prompts) expected.push_back(run(*plenty, prompt).tokens);
    EXPECT_EQ(plenty->cache_statistics().caches, 4);
  }
  EXPECT_THAT(notices_, ElementsAre());
  const auto tight = engine(64 * kMiB);
  EXPECT_EQ(run(*tight, prompts[0]).tokens, expected[0]);
  leave(tight->cache_statistics().bytes * 5 / 4);  // for one more cache, not for two
  for (std::size_t i = 1; i < prompts.size(); ++i)
    EXPECT_EQ(run(*tight, prompts[i]).tokens, expected[i]) << "prompt " << i;
  EXPECT_LT(tight->cache_statistics().caches, 3);
  EXPECT_GT(tight->cache_statistics().evictions, 0);
  EXPECT_THAT(notices_, ElementsAre(HasSubstr("Memory is short"))) << "once";
}

// A fork is a copy; without memory for it the request gets the cache that would have been copied.
TEST_F(CudaMemory, WithoutRoomForACopyARequestTakesTheCacheItself) {
  const auto tight = engine(64 * kMiB);
  const std::vector<TokenId> first = random_tokens(tight->target(), 120, 1);
  std::vector<TokenId> second(first.begin(), first.begin() + 40);
  for (const TokenId token : random_tokens(tight->target(), 20, 2)) second.push_back(token);
  const std::vector<TokenId> expected = run(*tight, second).tokens;
  tight->clear_caches();
  run(*tight, first);
  leave(0);
  EXPECT_EQ(run(*tight, second).tokens, expected);
  EXPECT_EQ(tight->cache_statistics().forks, 0);
  EXPECT_EQ(tight->cache_statistics().hits, 1);
}

TEST_F(CudaMemory, IsSharedOutByWhatFits) {
  const auto model = on_gpu(long_model());
  const LanguageModel* const models[] = {model.get()};
  const EngineOptions wanted{.cache_bytes = 8 * kMiB};
  const auto plenty = cli::share_gpu_memory(models, std::size_t{1} << 30, wanted);
  ASSERT_TRUE(plenty);
  EXPECT_EQ(plenty->notice, "");
  EXPECT_EQ(plenty->options.context_limit, 8192);
  EXPECT_EQ(plenty->options.cache_bytes, wanted.cache_bytes);
  // A sequence of 8192 tokens takes 4 MiB, and half as much again while it grows.
  const auto fewer_caches = cli::share_gpu_memory(models, 392 * kMiB, wanted);
  ASSERT_TRUE(fewer_caches);
  EXPECT_EQ(fewer_caches->options.context_limit, 8192);
  EXPECT_LT(fewer_caches->options.cache_bytes, wanted.cache_bytes);
  EXPECT_THAT(fewer_caches->notice, HasSubstr("are used to cache earlier requests"));
  const auto shorter = cli::share_gpu_memory(models, 388 * kMiB, wanted);
  ASSERT_TRUE(shorter);
  EXPECT_EQ(shorter->options.context_limit, 4096);
  EXPECT_THAT(shorter->notice, HasSubstr("4096 tokens instead of 8192"));
  const auto none = cli::share_gpu_memory(models, 300 * kMiB, wanted);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message(), HasSubstr("too little"));
}

// On a real GPU the host could not touch it; here that is a fault.
TEST_F(CudaMemory, IsNeverTouchedByTheHostItself) {
  emulator::device().guarded = true;
  const auto model = on_gpu(small_model());
  {
    const DeviceMemory memory(64);
    EXPECT_DEATH(memory.as<int>()[3] = 1, "");
  }
  const std::vector<TokenId> tokens = random_tokens(*model, 12, 1);
  const auto cache = model->new_cache(600);
  const auto span = std::span(tokens);
  model->forward(span.first(6), {}, *cache, {.every_row = false, .top_k = 3});
  DraftTree draft = DraftTree::chain(span.subspan(7, 3), DraftOrigin::kOther);
  draft.add(5, 0, DraftOrigin::kOther);
  Predictions predictions;
  model->verify(span.subspan(6, 1), draft, *cache, {}, predictions);
  model->verify(span.subspan(6, 1), draft, *cache, {}, predictions);
  model->continue_greedily(span.last(2), 3, *cache);
  model->forward(span.last(2), draft, *cache, {});
  const int kept[] = {0, 3};
  cache->keep(kept);
  model->forward(span.last(1), {}, *cache, {.scored = span.last(1)});
  const auto fork = cache->fork(4);
  model->forward(random_tokens(*model, 540, 2), {}, *cache, {.every_row = false});
  cache->truncate(3);
  model->forward(span.last(1), {}, *fork, {});
  model->filled_cache(40, 20);
  EXPECT_TRUE(self_check(*files_of(small_model().writer()), *model));
}

// Requests of a host whose owner's thread is this one.
class CudaLoss : public CudaMemory {
 protected:
  Result<std::vector<TokenId>> request(EngineHost& host,
                                       const std::function<void()>& meanwhile = {}) {
    Result<std::vector<TokenId>> answer = Error("not run");
    host.queue().add(
        [&](const DecodeQueue::Control& control) {
          answer = run_on_engine(host, "it failed", [&](Engine& engine) {
            return tokens_of(engine, control.stop, meanwhile);
          });
        },
        Urgency::kEdit);
    host.queue().wait_until_idle();
    for (const auto& call : std::exchange(posted_, {})) call();
    return answer;
  }
  Result<std::vector<TokenId>> tokens_of(Engine& engine, std::stop_token stop,
                                         const std::function<void()>& meanwhile) {
    DecodeRequest request;
    request.prompt = {1, 2, 3};
    request.max_new_tokens = 4;
    const auto sink = [&](TokenId) {
      if (meanwhile) meanwhile();
      return true;
    };
    auto result = engine.decode(Purpose::kEdit, *parse_decoder_name("ar"), request, sink, stop);
    if (!result) return result.error();
    return result->tokens;
  }
  Post post() {
    return [this](std::function<void()> call) { posted_.push_back(std::move(call)); };
  }
  // The GPU if it is there, else the CPU.
  EngineHost::Factory factory() {
    return [this](const LoadControl&) {
      return as_engine(
          LocalEngine::make(engine_model(long_model(), static_cast<bool>(find_device())), {}));
    };
  }

 private:
  std::vector<std::function<void()>> posted_;
};

TEST_F(CudaLoss, EndsTheRequestAndTheNextOneRunsElsewhere) {
  EngineHost host(factory(), post());
  ASSERT_TRUE(request(host));
  EXPECT_EQ(host.status().device, Device::cuda());
  bool lost = false;
  emulator::device().lost = [&lost] { return lost; };
  const auto failed = request(host, [&] { lost = true; });
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("it failed: the GPU failed"));
  EXPECT_EQ(host.status().state, EngineStatus::State::kUnloaded);
  EXPECT_THAT(host.status().notice, HasSubstr("ended because the GPU failed"));
  EXPECT_TRUE(request(host));
  EXPECT_EQ(host.status().device, Device::cpu());
  EXPECT_THAT(host.status().notice, HasSubstr("ended because")) << "it stays to be read";
}

// A completion between two passes of an edit: the engine still belongs to the edit when it fails.
TEST_F(CudaLoss, WithinAnotherRequestEndsBoth) {
  EngineHost host(factory(), post());
  bool lost = false;
  emulator::device().lost = [&lost] { return lost; };
  Result<std::vector<TokenId>> inner = Error("not run"), third = inner;
  const auto outer = request(host, [&] {
    if (std::exchange(lost, true)) return;
    const auto run = [&](Engine& engine) { return tokens_of(engine, {}, {}); };
    inner = run_on_engine(host, "the inner failed", run);
    third = run_on_engine(host, "the third failed", run);
  });
  EXPECT_THAT(inner.error().message(), HasSubstr("the inner failed: the GPU failed"));
  EXPECT_THAT(third.error().message(), HasSubstr("ended because the GPU failed"));
  EXPECT_THAT(outer.error().message(), HasSubstr("it failed: the GPU failed"));
  EXPECT_TRUE(request(host));
  EXPECT_EQ(host.status().device, Device::cpu());
}

}  // namespace
}  // namespace redraft::cuda
