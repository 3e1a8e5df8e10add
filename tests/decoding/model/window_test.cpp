// Models with sliding windows: their rows in the windows are overwritten, so a cache cannot be cut
// off anywhere. What the files may say is in window_shape_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "decoding/kv_archive.h"
#include "decoding/model/model_summary.h"
#include "decoding/model/transformer.h"
#include "decoding/model_powers.h"
#include "tests/decoding/model/cache_checks.h"
#include "tests/decoding/model/tiny_model.h"
#include "tests/decoding/model/transformer_checks.h"
#include "tests/kit/temp_folder.h"

namespace redraft {
namespace {

constexpr int kWindow = 24;
// Slots for the passes of these tests, of at most 40 rows: 128, as WindowShape::slots_for() says.
constexpr int kSlots = 128;

class Window : public testing::TestWithParam<const char*> {
 protected:
  static TinyModel tiny() {
    const std::string name = GetParam();
    // Layers that share keep nothing, so that both forms have the same memory.
    const bool shares = name.ends_with("_e");
    return {.architecture = name.substr(0, name.find('_')),
            .layers = shares ? 8 : 4,
            .context_length = 8192,
            .window = kWindow,
            .beside_experts = name.ends_with("_experts"),
            .sharing_layers = shares ? 4 : 0,
            .layer_input = shares ? 32 : 0};
  }
  std::unique_ptr<LanguageModel> load(const TinyModel& tiny) {
    files_.push_back(tiny.writer().bytes());
    Result<GgufFile> file = GgufFile::parse("tiny.gguf", files_.back());
    EXPECT_TRUE(file) << file.error().message();
    auto model = load_transformer(gguf_model(std::move(*file)), kernels::best_isa(), pool_);
    EXPECT_TRUE(model) << model.error().message();
    return std::move(*model);
  }
  std::unique_ptr<LanguageModel> load() { return load(tiny()); }

  ThreadPool pool_{2};

 private:
  std::vector<std::vector<std::uint8_t>> files_;
};

INSTANTIATE_TEST_SUITE_P(, Window,
                         testing::Values("mellum", "gpt-oss", "gemma4", "gemma4_experts",
                                         "gemma4_e"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::erase(name, '-');
                           return name;
                         });

WindowRows& windows(KvCache& cache) {
  return *static_cast<TransformerKvStorage&>(*cache.storage()).windows();
}

TEST_P(Window, AnyHistoryOfACacheIsAFreshPrefill) {
  const auto model = load();
  check_cache_histories(*model, 8, 60, 3 * kSlots);
}

// Read at once, in pieces, with other windows.
TEST_P(Window, ChunksLeaveNoTrace) {
  const auto model = load();
  check_chunking(*model, *load(), 6 * kWindow);
  const std::vector<TokenId> tokens = random_tokens(*model, 900, 1);
  const auto run = [&](LanguageModel& each, int chunk) {
    const std::unique_ptr<KvCache> cache = each.new_cache(900);
    return prefill(each, *cache, tokens, chunk);
  };
  const RowBits expected = run(*model, 900);
  EXPECT_TRUE(run(*model, 30) == expected);
  EXPECT_TRUE(run(*model, 1) == expected);
  TinyModel other = tiny();
  other.window = kWindow + 1;
  EXPECT_FALSE(run(*load(other), 900) == expected) << "the window counts";
}

// A draft may be longer than the window and all slots.
TEST_P(Window, DraftsOfAnyLengthFit) {
  const auto model = load();
  for (const int prefix : {1, kWindow, kSlots - 1, kSlots, 400}) {
    SCOPED_TRACE(prefix);
    check_trees(*model, prefix, 30);
    check_keep_and_truncate(*model, prefix + 2, 40);
    const std::vector<TokenId> tokens = random_tokens(*model, prefix + 300, 5);
    const auto cache = model->new_cache(1000);
    prefill(*model, *cache, std::span(tokens).first(static_cast<std::size_t>(prefix)), 40);
    const auto rest = std::span(tokens).subspan(static_cast<std::size_t>(prefix));
    const RowBits all =
        tree_rows(*model, *cache, rest[0], DraftTree::chain(rest.subspan(1), DraftOrigin::kOther));
    const auto fresh = model->new_cache(1000);
    EXPECT_TRUE(all.last() == prefill(*model, *fresh, tokens, 7));
  }
}

// A rejected draft has overwritten rows at the other edge of the window.
TEST_P(Window, ARejectedDraftCostsNothing) {
  const auto model = load();
  const std::vector<TokenId> tokens = random_tokens(*model, 400, 1);
  const auto cache = model->new_cache(500);
  int at = 0;
  for (const int length : {kWindow - 1, kWindow, 100, kSlots - 10, kSlots, kSlots + 1, 255, 399}) {
    prefill(*model, *cache,
            std::span(tokens).subspan(static_cast<std::size_t>(at),
                                      static_cast<std::size_t>(length - at)),
            30);
    const DraftTree tree = random_tree(*model, 39, static_cast<std::uint32_t>(length));
    model->forward(std::span(tokens).subspan(static_cast<std::size_t>(length), 1), tree, *cache,
                   {});
    EXPECT_EQ(cache->truncate(length), length) << "without a copy, and a token further back";
    at = length;
    const auto fresh = model->new_cache(500);
    prefill(*model, *fresh, std::span(tokens).first(static_cast<std::size_t>(length)), 100);
    EXPECT_TRUE(CacheHistory::same_rows(*cache, *fresh)) << length;
  }
}

TEST_P(Window, IsKnownNearTheEndAndWhereRemembered) {
  const auto model = load();
  const auto cache = model->new_cache(1000);
  const std::vector<TokenId> tokens = random_tokens(*model, 500, 1);
  for (int part = 0; part < 5; ++part) {
    prefill(*model, *cache, std::span(tokens).subspan(static_cast<std::size_t>(100 * part), 100),
            20);
    cache->remember();
  }
  // Slots hold positions 372..499; a row at 395 sees 372..395.
  ASSERT_EQ(windows(*cache).rows().slots(), kSlots);
  EXPECT_EQ(cache->truncatable_to(395), 395);
  EXPECT_EQ(cache->truncatable_to(394), 300);
  EXPECT_EQ(cache->truncatable_to(299), 0) << "only the last three are kept";
  EXPECT_EQ(cache->fork(450)->length(), 450);
  EXPECT_EQ(cache->fork(390)->length(), 300);
  for (const int length : {460, 396, 330}) {
    const int known = cache->truncate(length);
    EXPECT_EQ(known, length == 330 ? 300 : length);
    const auto fresh = model->new_cache(1000);
    prefill(*model, *fresh, std::span(tokens).first(static_cast<std::size_t>(known)), 100);
    EXPECT_TRUE(CacheHistory::same_rows(*cache, *fresh)) << length;
  }
}

TEST_P(Window, TakesAsMuchMemoryForALongTextAsForAShortOne) {
  const auto model = load();
  const auto cache = model->new_cache(8000);
  const std::vector<TokenId> tokens = random_tokens(*model, 8000, 1);
  prefill(*model, *cache, std::span(tokens).first(1000), 250);
  const std::size_t before = cache->bytes();
  prefill(*model, *cache, std::span(tokens).subspan(1000), 250);
  const TinyModel shape = tiny();
  const auto of_token = [](int kv_heads, int head_dim) {
    return 2 * sizeof(std::int16_t) * static_cast<std::size_t>(kv_heads * (head_dim + 2));
  };
  // Two of four layers have no window.
  const std::size_t full = 2 * of_token(shape.kv_heads, shape.head_dim) * 7000;
  const std::size_t windowed = shape.has_post_norms()
                                   ? of_token(shape.window_kv_heads, shape.window_head_dim)
                                   : of_token(shape.kv_heads, shape.head_dim);
  EXPECT_NEAR(static_cast<double>(cache->bytes() - before), static_cast<double>(full),
              0.1 * static_cast<double>(full));
  EXPECT_EQ(cache->storage()->state()->bytes(), 2 * windowed * (kWindow - 1));
  const TempFolder folder;
  const std::vector<std::uint8_t> bytes = shape.writer().bytes();
  folder.write("tiny.gguf", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const ModelSummary summary = summarise_model(folder / "tiny.gguf");
  EXPECT_EQ(summary.why_not, "");
  EXPECT_EQ(summary.state_bytes, cache->storage()->state()->bytes());
  EXPECT_EQ(summary.kv_bytes_per_token, 2 * of_token(shape.kv_heads, shape.head_dim));
}

TEST_P(Window, MemoryGoesBackToTheSystem) {
  const auto model = load();
  const auto cache = model->new_cache(2000);
  prefill(*model, *cache, random_tokens(*model, 10, 1), 10);
  cache->remember();
  const std::size_t before = cache->bytes();
  prefill(*model, *cache, random_tokens(*model, 1900, 2), 250);
  EXPECT_GT(cache->bytes(), 5 * before);
  EXPECT_EQ(cache->truncate(11), 10);
  EXPECT_EQ(cache->bytes(), before);
}

TEST_P(Window, ComesBackFromDisk) {
  const auto model = load();
  for (const int length : {130, 300}) {
    const std::vector<TokenId> tokens = random_tokens(*model, length, 8);
    const TempFolder folder;
    const auto open = [&] { return *KvArchive::open(folder / "kv", {"model", "build"}); };
    const std::unique_ptr<KvCache> read = model->new_cache(400);
    prefill(*model, *read, tokens, 40);
    const KvCache& source = *read;
    ASSERT_TRUE(open().save(tokens, "/a", 0, [&] { return source.storage(); }));
    KvArchive archive = open();
    const KvArchive::Match match = archive.find(tokens);
    ASSERT_EQ(match.length, length);
    const std::unique_ptr<KvCache> restored = model->new_cache(length + 20);
    ASSERT_TRUE(archive.load(match, tokens, *restored->storage()));
    restored->append(tokens, DraftTree());
    EXPECT_TRUE(CacheHistory::same_rows(*restored, *read));
    const std::vector<TokenId> next = random_tokens(*model, 5, 9);
    EXPECT_TRUE(prefill(*model, *restored, next, 3) == prefill(*model, *read, next, 1));
  }
}

// Settings that are tried are those of a file that has them, to the last bit, and leave no trace.
TEST_P(Window, SettingsAreTriedAsIfTheFileHadThem) {
  const auto model = load();
  const std::vector<TokenId> tokens = random_tokens(*model, 300, 8);
  const auto read = [&](LanguageModel& each) {
    const std::unique_ptr<KvCache> cache = each.new_cache(400);
    return prefill(each, *cache, tokens, 40);
  };
  const auto as_stated = read(*model);
  TinyModel other = tiny();
  other.window *= 8;
  const auto wider = read(*load(other));
  SettingTrying& trying = *model->setting_trying();
  const std::vector<std::string> trials = trying.trials();
  const auto found = std::ranges::find(trials, "a window of 192 tokens");
  ASSERT_NE(found, trials.end());
  int without_effect = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trying.try_setting(i);
    const auto tried = read(*model);
    EXPECT_EQ(tried == wider, trials[i] == *found) << trials[i];
    if (tried == as_stated) ++without_effect;
    trying.try_setting(std::nullopt);
  }
  EXPECT_EQ(without_effect, 0);
  EXPECT_TRUE(read(*model) == as_stated);
}

// A model with another window must not take the entry for its own.
TEST_P(Window, AnEntryOfAnotherWindowIsRefused) {
  const auto model = load();
  TinyModel wider = tiny();
  wider.window += 1;
  const auto other = load(wider);
  const std::vector<TokenId> tokens = random_tokens(*model, 70, 8);
  const TempFolder folder;
  KvArchive archive = *KvArchive::open(folder / "kv", {"model", "build"});
  const std::unique_ptr<KvCache> read = model->new_cache(80);
  prefill(*model, *read, tokens, 40);
  const KvCache& source = *read;
  ASSERT_TRUE(archive.save(tokens, "/a", 0, [&] { return source.storage(); }));
  const std::unique_ptr<KvCache> wrong = other->new_cache(80);
  EXPECT_FALSE(archive.load(archive.find(tokens), tokens, *wrong->storage()));
}

// Rows of the context that no window reaches cost nothing.
TEST_P(Window, KnowsTheWorkOfAPass) {
  const auto model = load();
  TinyModel shape = tiny();
  shape.window = 4000;
  const auto wide = load(shape);
  const auto added = [](const LanguageModel& each, int context) {
    PassMeasuring& measuring = *const_cast<LanguageModel&>(each).measuring();
    return measuring.work(1, context).bytes - measuring.work(1, 0).bytes;
  };
  EXPECT_EQ(added(*model, kWindow), added(*wide, kWindow));
  EXPECT_LT(added(*model, 2000), 0.6 * added(*wide, 2000));
}

}  // namespace
}  // namespace redraft
