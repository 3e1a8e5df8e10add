// Long work is done in chunks: between two of them it checks for cancellation and reports progress.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <numeric>
#include <string>
#include <thread>

#include "decoding/chunk_sizer.h"
#include "decoding/decoder.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

// Reports every pass before it runs.
class WatchedModel : public ScriptedModel {
 public:
  using Watch = std::function<void(int rows)>;
  explicit WatchedModel(ScriptedModel model) : ScriptedModel(std::move(model)) {}

  Predictions forward(std::span<const TokenId> context, const DraftTree& draft, KvCache& cache,
                      const PredictionNeeds& needs) override {
    const int rows = static_cast<int>(context.size()) + draft.size();
    passes.push_back(rows);
    if (watch) watch(rows);
    return ScriptedModel::forward(context, draft, cache, needs);
  }

  Watch watch;
  std::vector<int> passes;  // the rows of each
};

constexpr int kPrompt = 1500;
constexpr int kContext = 4096;

// A target that writes the prompt's tokens once more, a draft model that agrees, and the request.
struct Work {
  explicit Work(int length = kPrompt) : prompt(count_up(length)) {
    request.prompt = prompt;
    request.original = prompt;
    request.max_new_tokens = 600;
  }

  DecodeResult run(const char* name, const CostCurve& cost = {}, std::stop_token stop = {}) {
    auto decoder = Decoder::make(*parse_decoder_name(name), {&target, target_cache.get()},
                                 {&draft, draft_cache.get()}, cost);
    EXPECT_TRUE(decoder);
    auto result = (*decoder)->run(request, nullptr, std::move(stop));
    EXPECT_TRUE(result);
    return *std::move(result);
  }

  static std::vector<TokenId> count_up(int length) {
    std::vector<TokenId> tokens(length);
    std::iota(tokens.begin(), tokens.end(), 1);
    return tokens;
  }

  int length() const { return static_cast<int>(prompt.size()); }

  std::vector<TokenId> prompt;
  DecodeRequest request;
  WatchedModel target{ScriptedModel::replay(kContext, length(), prompt, 0, kContext)};
  WatchedModel draft{ScriptedModel::replay(kContext, length(), prompt, 0, kContext)};
  std::unique_ptr<KvCache> target_cache = target.new_cache(kContext);
  std::unique_ptr<KvCache> draft_cache = draft.new_cache(kContext);
};

TEST(LongWork, ThePrefillReportsEveryChunk) {
  Work work;
  std::vector<int> prefilled;
  double fraction = 0;
  work.request.on_progress = [&](const DecodeStatistics& statistics) {
    if (fraction == 1) return;
    prefilled.push_back(statistics.prefilled_tokens);
    EXPECT_GT(statistics.prefill_fraction(), fraction);
    fraction = statistics.prefill_fraction();
  };
  work.run("ar");
  ASSERT_GE(prefilled.size(), 3U);
  EXPECT_EQ(prefilled.front(), 1) << "of a machine that nothing is known about";
  EXPECT_EQ(prefilled.back(), kPrompt - 1);
  EXPECT_EQ(fraction, 1);
  int before = 0;
  for (std::size_t i = 0; i < prefilled.size(); ++i) {
    const bool decodes = i + 1 == prefilled.size();  // runs the last token as well
    EXPECT_EQ(prefilled[i] - before, work.target.passes[i] - (decodes ? 1 : 0));
    EXPECT_LE(work.target.passes[i], kMaxChunkRows);
    before = prefilled[i];
  }
}

TEST(LongWork, TheFirstDraftGoesWithTheEndOfThePromptIfThereIsRoom) {
  const CostCurve curve({{1, 0.02}, {128, 0.25}, {256, 0.6}});
  const int rows = priced_chunk_rows(curve);
  for (const auto& [rest, shared] : {std::pair(90, true), std::pair(rows - 1, false)}) {
    Work work(rest + 1);
    const DecodeStatistics statistics = work.run("redraft", curve).statistics;
    const auto passes = static_cast<int>(work.target.passes.size());
    EXPECT_EQ(passes, statistics.passes + (shared ? 0 : 1)) << rest;
    EXPECT_EQ(statistics.prefilled_tokens, rest);
    EXPECT_EQ(statistics.rows + statistics.prefilled_tokens,
              std::accumulate(work.target.passes.begin(), work.target.passes.end(), 0));
    EXPECT_GT(work.target.passes[shared ? 0 : 1], (shared ? rest : 0) + 1) << "with a draft";
  }
}

TEST(LongWork, ChunksBeginAsTheCurveSaysAndShrinkWhenItIsWrong) {
  Work work;
  work.request.max_new_tokens = 1;
  work.target.watch = [](int rows) {
    std::this_thread::sleep_for(std::chrono::milliseconds(rows));
  };
  work.run("redraft", CostCurve({{1, 1e-6}, {64, 64e-6}}));
  ASSERT_GE(work.target.passes.size(), 3U);
  EXPECT_EQ(work.target.passes[0], 256);
  EXPECT_LT(work.target.passes[1], 256) << "a quarter of a second holds fewer rows at 1 ms each";
}

// Stops during the `count`th pass of a model; no pass may begin after that.
void stop_in_pass(WatchedModel& model, std::size_t count, std::stop_source& stop) {
  model.watch = [&model, count, &stop](int) {
    if (model.passes.size() == count) stop.request_stop();
  };
}

TEST(LongWork, ACancelWaitsForTheChunkUnderWayAlone) {
  for (const char* name : {"ar", "redraft", "efficientedit:reuse-only", "fastfixer"}) {
    for (const std::size_t pass : {1, 2, 4, 9, 12}) {
      SCOPED_TRACE(testing::Message() << name << ", pass " << pass);
      Work work;
      std::stop_source stop;
      stop_in_pass(work.target, pass, stop);
      // The prefill takes seven passes; then there are drafts of at most 32 rows.
      const DecodeResult result =
          work.run(name, CostCurve({{1, 0.1}, {32, 0.25}, {64, 0.5}}), stop.get_token());
      EXPECT_EQ(result.finish_reason, FinishReason::kCancelled);
      EXPECT_EQ(work.target.passes.size(), pass);
      EXPECT_GT(work.target_cache->length(), 0) << "what was run is there for the next request";
    }
  }
}

TEST(LongWork, TheDraftModelsPrefillIsCancelledToo) {
  Work work;
  work.request.original.clear();  // nothing to reuse: the draft model runs at once
  std::stop_source stop;
  stop_in_pass(work.draft, 3, stop);
  const DecodeResult result = work.run("efficientedit", {}, stop.get_token());
  EXPECT_EQ(result.finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(work.draft.passes.size(), 3U);
  EXPECT_EQ(result.statistics.passes, 0);
}

// The cancel comes from another thread in the midst of a pass, which is the last one.
TEST(LongWork, ACancelFromOutsideEndsAPrefill) {
  constexpr std::size_t kLast = 3;
  Work work;
  std::stop_source stop;
  std::promise<void> is_under_way;
  work.target.watch = [&](int) {
    if (work.target.passes.size() != kLast) return;
    is_under_way.set_value();
    while (!stop.stop_requested()) std::this_thread::yield();
  };
  std::jthread canceller([&] {
    is_under_way.get_future().wait();
    stop.request_stop();
  });
  const DecodeResult result = work.run("ar", {}, stop.get_token());
  EXPECT_EQ(result.finish_reason, FinishReason::kCancelled);
  EXPECT_EQ(work.target.passes.size(), kLast);
  EXPECT_LT(result.statistics.prefilled_tokens, kPrompt - 1);
}

// The paper verifies the rest of the original in one pass: in chunks it still counts as one.
TEST(LongWork, ReuseInChunksCountsAsOnePass) {
  const CostCurve tiny_chunks({{1, 0.1}, {2, 0.2}, {4, 0.4}});
  ASSERT_EQ(priced_chunk_rows(tiny_chunks), 2);
  for (const char* name : {"efficientedit:reuse-only", "efficientedit:reuse-only:keep-correction",
                           "efficientedit", "efficientedit:keep-correction"}) {
    SCOPED_TRACE(name);
    Work whole, chunked;
    for (Work* work : {&whole, &chunked}) {
      work->request.max_new_tokens = 200;
      // Two edits on the way.
      work->request.original[50] = 3000;
      work->request.original.erase(work->request.original.begin() + 120);
    }
    const DecodeResult expected = whole.run(name);
    const DecodeResult result = chunked.run(name, tiny_chunks);
    EXPECT_EQ(result.tokens, expected.tokens);
    EXPECT_EQ(result.statistics.passes, expected.statistics.passes);
    EXPECT_EQ(result.statistics.drafted_passes, expected.statistics.drafted_passes);
    // Except for the last token there is room for, which comes without a draft.
    EXPECT_NEAR(result.statistics.drafted_pass_tokens, expected.statistics.drafted_pass_tokens, 1);
    EXPECT_GT(chunked.target.passes.size(), whole.target.passes.size() + 50);
  }
}

TEST(LongWork, WholeIsOnePassIndeed) {
  const CostCurve tiny_chunks({{1, 0.1}, {2, 0.2}, {4, 0.4}});
  for (const std::string name : {"efficientedit:reuse-only", "fastfixer"}) {
    SCOPED_TRACE(name);
    Work whole, chunked;
    const DecodeResult expected = chunked.run(name.c_str(), tiny_chunks);
    const DecodeResult result = whole.run((name + ":whole").c_str(), tiny_chunks);
    EXPECT_EQ(result.tokens, expected.tokens);
    EXPECT_EQ(result.statistics.passes, expected.statistics.passes);
    // Everything that may still be written, except the target's own token.
    EXPECT_EQ(*std::max_element(whole.target.passes.begin(), whole.target.passes.end()), 600);
  }
}

}  // namespace
}  // namespace redraft
