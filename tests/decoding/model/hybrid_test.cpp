// Hybrids as models: their caches have a state that cannot be cut off at any length. What the
// files may say is in hybrid_shape_test.cpp.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <utility>

#include "decoding/kv_archive.h"
#include "decoding/model/model_summary.h"
#include "decoding/model/recurrent_state.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "tests/decoding/model/cache_checks.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

// An architecture, with an MTP block or without.
using Param = std::pair<const char*, bool>;

class Hybrid : public testing::TestWithParam<Param> {
 protected:
  std::unique_ptr<LanguageModel> load(TinyModel tiny = {}) {
    tiny.architecture = GetParam().first;
    tiny.mtp = GetParam().second;
    tiny.layers = 4;
    files_.push_back(tiny.writer().bytes());
    Result<GgufFile> file = GgufFile::parse("tiny.gguf", files_.back());
    EXPECT_TRUE(file) << file.error().message();
    auto model = load_transformer(gguf_model(std::move(*file)), kernels::best_isa(), pool_);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }

  static bool has_delta_nets() { return find_architecture(GetParam().first)->has_delta_nets(); }

  ThreadPool pool_{2};

 private:
  std::vector<std::vector<std::uint8_t>> files_;
};

INSTANTIATE_TEST_SUITE_P(, Hybrid,
                         testing::Values(Param("qwen35", false), Param("qwen35moe", false),
                                         Param("qwen3next", false), Param("lfm2", false),
                                         Param("qwen35", true), Param("qwen35moe", true)),
                         [](const auto& each) {
                           return each.param.first + std::string(each.param.second ? "_mtp" : "");
                         });

std::size_t state_bytes(const KvCache& cache) { return cache.storage()->state()->bytes(); }

// What `models list` says before a model is loaded.
TEST_P(Hybrid, ASummaryKnowsTheSizeOfTheState) {
  const auto model = load();
  const TempFolder folder;
  TinyModel tiny{.architecture = GetParam().first, .layers = 4, .mtp = GetParam().second};
  const std::vector<std::uint8_t> bytes = tiny.writer().bytes();
  folder.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const ModelSummary summary = summarise_model(folder / "tiny.gguf");
  EXPECT_EQ(summary.why_not, "");
  EXPECT_EQ(summary.state_bytes, state_bytes(*model->new_cache(8)));
}

TEST_P(Hybrid, AnyHistoryOfACacheIsAFreshPrefill) {
  const auto model = load();
  check_cache_histories(*model, 6, 120, 60);
}

// The draft of one sequence is decided about after passes for another.
TEST_P(Hybrid, PassesForOtherSequencesMayComeBeforeADraftIsKept) {
  const auto model = load();
  const std::vector<TokenId> tokens = random_tokens(*model, 12, 1);
  const DraftTree tree = random_tree(*model, 9, 2);
  const auto run = [&](bool interrupted) {
    const std::unique_ptr<KvCache> cache = model->new_cache(40);
    model->forward(tokens, tree, *cache, {});
    if (interrupted) {
      const std::unique_ptr<KvCache> other = model->new_cache(40);
      model->forward(random_tokens(*model, 5, 3), random_tree(*model, 11, 4), *other, {});
    }
    cache->keep(path_to(tree, 7));
    return prefill(*model, *cache, tokens, 5);
  };
  EXPECT_TRUE(run(true) == run(false));
}

TEST_P(Hybrid, RemembersAFewLengthsAndCountsThem) {
  const auto model = load();
  const std::unique_ptr<KvCache> cache = model->new_cache(100);
  const std::vector<TokenId> tokens = random_tokens(*model, 60, 1);
  std::size_t rows_and_state = 0;
  for (int part = 0; part < 6; ++part) {
    prefill(*model, *cache, std::span(tokens).subspan(static_cast<std::size_t>(10 * part), 10), 10);
    if (part == 0) rows_and_state = cache->bytes();
    cache->remember();
  }
  const std::size_t copies = StateCopies<float>::kMax * state_bytes(*cache);
  EXPECT_GE(cache->bytes(), rows_and_state + copies);
  EXPECT_EQ(cache->truncatable_to(59), 50);
  EXPECT_EQ(cache->truncatable_to(49), 40);
  EXPECT_EQ(cache->truncatable_to(39), 0) << "only the last three are kept";
  EXPECT_EQ(cache->truncate(45), 40);
  const std::unique_ptr<KvCache> fresh = model->new_cache(100);
  EXPECT_TRUE(prefill(*model, *cache, std::span(tokens).subspan(40), 7) ==
              prefill(*model, *fresh, tokens, 60));
}

// What is used stays: a length that requests come back to is not displaced by their ends.
TEST_P(Hybrid, ALengthThatIsUsedStays) {
  const auto model = load();
  const std::unique_ptr<KvCache> cache = model->new_cache(100);
  prefill(*model, *cache, random_tokens(*model, 20, 1), 20);
  cache->remember();
  for (std::uint32_t request = 0; request < 6; ++request) {
    prefill(*model, *cache, random_tokens(*model, 10, request), 10);
    cache->remember();
    prefill(*model, *cache, random_tokens(*model, 4, request), 4);
    EXPECT_EQ(cache->truncate(22), 20);
  }
}

TEST_P(Hybrid, ComesBackFromDiskWithItsState) {
  const auto model = load();
  const std::vector<TokenId> tokens = random_tokens(*model, 130, 8);
  const TempFolder folder;
  const auto open = [&] { return *KvArchive::open(folder / "kv", {"model", "build"}); };
  const std::unique_ptr<KvCache> read = model->new_cache(140);
  prefill(*model, *read, tokens, 64);
  const KvCache& source = *read;
  ASSERT_TRUE(open().save(tokens, "/a", 0, [&] { return source.storage(); }));
  KvArchive archive = open();
  const KvArchive::Match match = archive.find(tokens);
  ASSERT_EQ(match.length, 130);
  const std::unique_ptr<KvCache> restored = model->new_cache(150);
  ASSERT_TRUE(archive.load(match, tokens, *restored->storage()));
  restored->append(tokens, DraftTree());
  EXPECT_TRUE(CacheHistory::same_rows(*restored, *read));
  const std::vector<TokenId> next = random_tokens(*model, 5, 9);
  EXPECT_TRUE(prefill(*model, *restored, next, 3) == prefill(*model, *read, next, 1));
}

// A model of another layout must not take the entry for its own.
TEST_P(Hybrid, AnEntryOfAnotherLayoutIsRefused) {
  const auto model = load();
  const auto other = load({.taps = 3});
  const std::vector<TokenId> tokens = random_tokens(*model, 70, 8);
  const TempFolder folder;
  KvArchive archive = *KvArchive::open(folder / "kv", {"model", "build"});
  const std::unique_ptr<KvCache> read = model->new_cache(80);
  prefill(*model, *read, tokens, 64);
  const KvCache& source = *read;
  ASSERT_TRUE(archive.save(tokens, "/a", 0, [&] { return source.storage(); }));
  const std::unique_ptr<KvCache> wrong = other->new_cache(80);
  EXPECT_FALSE(archive.load(archive.find(tokens), tokens, *wrong->storage()));
}

TEST_P(Hybrid, APassThatFailsMidwayLeavesNoHalfState) {
  const auto model = load();
  const std::vector<TokenId> tokens = random_tokens(*model, 20, 1);
  const std::unique_ptr<KvCache> cache = model->new_cache(40);
  prefill(*model, *cache, std::span(tokens).first(8), 8);
  cache->remember();
  prefill(*model, *cache, std::span(tokens).subspan(8, 4), 4);
  static_cast<RecurrentState&>(*cache->storage()->state()).begin_pass();
  cache->forget_present_state();
  EXPECT_EQ(cache->length(), 8);
  const std::unique_ptr<KvCache> fresh = model->new_cache(40);
  EXPECT_TRUE(prefill(*model, *cache, std::span(tokens).subspan(8), 12) ==
              prefill(*model, *fresh, tokens, 20));
}

// Ollama lists the key-value heads of each layer and gives the decay's bias another name.
TEST_P(Hybrid, OllamasFileIsTheSameModel) {
  if (!has_delta_nets()) GTEST_SKIP() << "whose file has the keys and names of llama.cpp's";
  const TinyModel tiny{.architecture = GetParam().first, .layers = 4, .mtp = GetParam().second};
  GgufWriter writer = tiny.writer();
  const std::vector<std::uint8_t> usual = writer.bytes();
  const std::string prefix = tiny.architecture + ".";
  for (const char* key : {"attention.head_count_kv", "full_attention_interval"})
    writer.remove(prefix + key);
  writer.integers(prefix + "attention.head_count_kv", {0, 2, 0, 2});
  for (GgufWriter::Tensor& tensor : writer.tensors()) {
    if (tensor.name.ends_with("ssm_dt.bias")) tensor.name.resize(tensor.name.size() - 5);
  }
  const std::vector<std::uint8_t> ollamas = writer.bytes();
  const auto rows = [&](const std::vector<std::uint8_t>& bytes) {
    auto model = load_transformer(gguf_model(*GgufFile::parse("tiny.gguf", bytes)),
                                  kernels::best_isa(), pool_);
    EXPECT_TRUE(model) << model.error().message();
    return verify_all(**model, random_tokens(**model, 20, 1), 20);
  };
  EXPECT_TRUE(rows(ollamas) == rows(usual));
}

TEST_P(Hybrid, LeavesOutNoLayer) { EXPECT_EQ(load()->layer_skipping(), nullptr); }

// A row costs the state's update besides its share of the weights.
TEST_P(Hybrid, KnowsTheWorkOfAPass) {
  const auto model = load();
  const PassMeasuring& measuring = *model->measuring();
  const auto macs = [&](int rows) { return measuring.work(rows, 0).float_macs; };
  EXPECT_GT(macs(2), 1.9 * macs(1));
  if (!has_delta_nets()) {
    // Two layers with 4 * 64 * 64 weights and four taps, two with attention, and the head.
    EXPECT_EQ(measuring.work(1, 0).float_macs, 2.0 * 4 * 64 + 2 * 2 * 64);
    const PerCodeWidth macs_of_widths = measuring.work(1, 0).integer_macs;
    EXPECT_EQ(std::accumulate(macs_of_widths.begin(), macs_of_widths.end(), 0.0),
              64.0 * (2 * 4 * 64 + 2 * 3 * 64 + 4 * 3 * 96 + 300));
    return;
  }
  const double state = 2.0 * 4 * 4 * 32 * 16;  // two layers, four floats of work per number
  EXPECT_GE(macs(1), state);
  EXPECT_GE(measuring.work(1, 0).bytes, 2 * 2 * 4 * 4 * 32 * 16.0);
}

}  // namespace
}  // namespace redraft
