// FastCoder's rules one by one: CACHE, missing table, skip token, two stores.
#include "bench/methods/fastcoder.h"

#include <gtest/gtest.h>

#include "bench/methods/rest.h"
#include "bench/methods/search_counts.h"
#include "decoding/decoder.h"
#include "tests/kit/counting_store.h"
#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kNoLimit = 1000;
constexpr std::size_t kHuge = std::size_t{1} << 30;

// Token 0 ends a line.
const LineTable& lines() {
  static const LineTable kTable(
      100, [](TokenId token) { return std::string_view(token == 0 ? "\n" : "x"); });
  return kTable;
}

std::shared_ptr<const CountingStore> store(std::vector<Tokens> texts, std::size_t size = 0) {
  return std::make_shared<CountingStore>(std::move(texts), size);
}

Tokens tokens_of(const DraftTree& draft) { return {draft.tokens().begin(), draft.tokens().end()}; }

TEST(ContinuationCache, OpensAtExactlyThatManySequences) {
  ContinuationCache cache(50, 2);
  for (TokenId i = 0; i < 49; ++i) cache.add(Tokens{i, i + 100, i + 200});
  EXPECT_FALSE(cache.open());
  EXPECT_EQ(cache.continuations(Tokens{7, 107}, {}).matched, 0);
  cache.add(Tokens{49, 149, 249});
  EXPECT_TRUE(cache.open());
  const Continuations found = cache.continuations(Tokens{7, 107}, {});
  EXPECT_EQ(found.matched, 2);
  ASSERT_EQ(found.tokens.size(), 1U);
  EXPECT_EQ(found.tokens[0][0], 207);
}

TEST(ContinuationCache, FindsWhatADatastoreOfItsSequencesFinds) {
  std::mt19937 random(5);
  for (int round = 0; round < 500; ++round) {
    const int shortest = 1 + round % 3;
    ContinuationCache cache(0, shortest);
    std::vector<Tokens> sequences(random() % 12);
    for (Tokens& sequence : sequences) {
      sequence.resize(random() % 12);
      for (TokenId& token : sequence) token = static_cast<TokenId>(random() % 3);
      cache.add(sequence);
    }
    Tokens context(random() % 10);
    for (TokenId& token : context) token = static_cast<TokenId>(random() % 3);
    const ContinuationQuery query{.longest = shortest + 4, .shortest = shortest, .length = 5};
    const MemoryDatastore reference(sequences);
    const Continuations expected = reference.continuations(context, query);
    const Continuations found = cache.continuations(context, query);
    ASSERT_EQ(found.matched, expected.matched) << "round " << round;
    ASSERT_EQ(found.tokens.size(), expected.tokens.size());
    for (std::size_t i = 0; i < found.tokens.size(); ++i)
      ASSERT_TRUE(std::ranges::equal(found.tokens[i], expected.tokens[i]));
  }
}

TEST(ContinuationCache, ForgetsTheOlderHalfWhenItIsFull) {
  ContinuationCache cache(50, 2);
  constexpr auto kMaxSequences = static_cast<TokenId>(ContinuationCache::kMaxSequences);
  for (TokenId i = 0; i <= kMaxSequences; ++i) cache.add(Tokens{i, 1, i + 1});
  EXPECT_EQ(cache.size(), static_cast<std::size_t>(kMaxSequences / 2 + 1));
  EXPECT_EQ(cache.continuations(Tokens{3, 1}, {}).matched, 0);
  EXPECT_EQ(cache.continuations(Tokens{kMaxSequences, 1}, {}).matched, 2);
  EXPECT_EQ(cache.continuations(Tokens{kMaxSequences / 2, 1}, {}).matched, 2);
}

// "Opens at l sequences and stays open": also where half of them is less than l.
TEST(ContinuationCache, StaysOpenWhenItForgets) {
  constexpr auto kMaxSequences = static_cast<TokenId>(ContinuationCache::kMaxSequences);
  ContinuationCache cache(ContinuationCache::kMaxSequences, 2);
  for (TokenId i = 0; i < kMaxSequences; ++i) cache.add(Tokens{i, 1, i + 1});
  ASSERT_TRUE(cache.open());
  cache.add(Tokens{kMaxSequences, 1, 2});
  EXPECT_LT(cache.size(), ContinuationCache::kMaxSequences);
  EXPECT_TRUE(cache.open());
  EXPECT_EQ(cache.continuations(Tokens{kMaxSequences, 1}, {}).matched, 2);
}

TEST(MissingTable, IsEmptiedWhenAStoreChanges) {
  MissingTable missing;
  auto first = store({});
  missing.follow(first, nullptr);
  missing.insert(Tokens{1, 2});
  missing.follow(first, nullptr);
  EXPECT_TRUE(missing.contains(Tokens{1, 2}));
  EXPECT_FALSE(missing.contains(Tokens{2, 1}));
  const auto second = store({});
  missing.follow(second, nullptr);
  EXPECT_FALSE(missing.contains(Tokens{1, 2}));
  missing.insert(Tokens{1, 2});
  missing.follow(nullptr, second);
  EXPECT_FALSE(missing.contains(Tokens{1, 2}));
}

TEST(FastCoder, SearchesInVainOnlyOnce) {
  FastCoderState state({});
  const auto repository = store({{1, 2, 3}});
  const auto common = store({{1, 2, 4}});
  FastCoderSource source({}, {repository, common}, 0, nullptr, state);
  EXPECT_TRUE(source.draft(Tokens{8, 9}, kNoLimit).empty());
  EXPECT_TRUE(source.draft(Tokens{8, 9, 7, 8, 9}, kNoLimit).empty()) << "the same end";
  EXPECT_EQ(repository->searches(), 1);
  EXPECT_EQ(common->searches(), 1);
  EXPECT_EQ(state.missing.size(), 1U);
  EXPECT_EQ(tokens_of(source.draft(Tokens{8, 9, 7, 8, 9, 1, 2}, kNoLimit)), (Tokens{3, 4}));
  EXPECT_EQ(state.missing.size(), 1U) << "only what failed enters";
  // Another request with the same stores; then other stores.
  FastCoderSource again({}, {repository, common}, 0, nullptr, state);
  again.draft(Tokens{8, 9}, kNoLimit);
  EXPECT_EQ(repository->searches(), 2);
  const auto changed = store({{8, 9, 5}});
  FastCoderSource anew({}, {changed, common}, 0, nullptr, state);
  EXPECT_EQ(tokens_of(anew.draft(Tokens{8, 9}, kNoLimit)), Tokens{5});
}

TEST(FastCoder, CountsWhatItSearched) {
  const FastCoderOptions options{.retrieval = {}, .opens_at = 1, .p = 0};
  FastCoderState state(options);
  const auto repository = store({{1, 2, 3}, {4, 0, 5}});
  FastCoderSource source(options, {repository, nullptr}, 0, &lines(), state);
  take_searches();
  source.draft(Tokens{1, 2}, kNoLimit);
  SearchCounts counts = take_searches();
  EXPECT_EQ(counts.cache_asked, 0) << "it has not opened";
  EXPECT_EQ(counts.searches, 1);
  EXPECT_GT(counts.search_seconds, 0);
  EXPECT_EQ(take_searches().searches, 0) << "taken";
  state.cache.add(Tokens{1, 2, 50});
  source.draft(Tokens{9, 1, 2}, kNoLimit);  // found in CACHE
  source.draft(Tokens{9, 8, 7}, kNoLimit);  // nowhere
  source.draft(Tokens{9, 8, 7}, kNoLimit);  // known to be nowhere
  source.draft(Tokens{9, 4, 0}, kNoLimit);  // where a line begins
  counts = take_searches();
  EXPECT_EQ(counts.cache_asked, 4);
  EXPECT_EQ(counts.cache_hits, 1);
  EXPECT_EQ(counts.searches, 1);
  EXPECT_EQ(counts.searches_missing, 1);
  EXPECT_EQ(counts.searches_skipped, 1);
  EXPECT_GT(counts.cache_seconds, 0);
}

// How often a source drafts at 1000 beginnings of lines.
int retrievals(double p, int seed, bool strategy = true) {
  const FastCoderOptions options{
      .retrieval = {}, .cache = false, .strategy = strategy, .p = p, .seed = seed};
  FastCoderState state(options);
  FastCoderSource source(options, {store({{1, 0, 2}}), nullptr}, 0, &lines(), state);
  int drafts = 0;
  for (int i = 0; i < 1000; ++i) drafts += source.draft(Tokens{1, 0}, kNoLimit).empty() ? 0 : 1;
  EXPECT_EQ(state.missing.size(), 0U) << "what chance left out has not failed";
  return drafts;
}

TEST(FastCoder, RetrievesAtALinesBeginningByChance) {
  EXPECT_EQ(retrievals(0, 1), 0);
  EXPECT_EQ(retrievals(1, 1), 1000);
  EXPECT_NEAR(retrievals(0.5, 1), 500, 80);
  EXPECT_EQ(retrievals(0.5, 2), retrievals(0.5, 2)) << "seeded";
  EXPECT_EQ(retrievals(0, 1, false), 1000) << "no-strategy";
}

TEST(FastCoder, RetrievesEverywhereElse) {
  const FastCoderOptions options{.retrieval = {}, .p = 0};
  FastCoderState state(options);
  FastCoderSource source(options, {store({{0, 1, 2}}), nullptr}, 0, &lines(), state);
  EXPECT_EQ(tokens_of(source.draft(Tokens{0, 1}, kNoLimit)), Tokens{2});
}

TEST(FastCoder, ConfirmedTokensEnterTheCacheWithTheirContext) {
  FastCoderState state({.retrieval = {}, .opens_at = 1});
  const auto repository = store({{1, 2, 3, 4, 5}});
  FastCoderSource source({.retrieval = {}}, {repository, nullptr}, 2, nullptr, state);
  EXPECT_EQ(tokens_of(source.draft(Tokens{1, 2}, kNoLimit)), (Tokens{3, 4, 5}));
  EXPECT_EQ(state.cache.size(), 0U);
  source.draft(Tokens{1, 2, 3, 4, 60}, kNoLimit);  // two accepted, and the target's own token
  EXPECT_EQ(state.cache.size(), 1U);
  const Continuations found = state.cache.continuations(Tokens{1, 2}, {});
  ASSERT_EQ(found.tokens.size(), 1U);
  EXPECT_TRUE(std::ranges::equal(found.tokens[0], Tokens{3, 4}));
  source.draft(Tokens{1, 2, 3, 4, 60, 61}, kNoLimit);
  EXPECT_EQ(state.cache.size(), 1U) << "nothing was drafted, nothing confirmed";
}

TEST(FastCoder, OnlyMatchableContextEntersTheCache) {
  FastCoderState state({.retrieval = {}, .opens_at = 1});
  FastCoderSource source({.retrieval = {}}, {store({{1, 2, 3, 4}}), nullptr}, 20, nullptr, state);
  Tokens context(20, 7);
  context[2] = 70;  // 18 tokens before the draft
  context[4] = 71;  // 16
  context[18] = 1;
  context[19] = 2;
  source.draft(context, kNoLimit);
  context.insert(context.end(), {3, 60});
  source.draft(context, kNoLimit);
  ASSERT_EQ(state.cache.size(), 1U);
  EXPECT_EQ(state.cache.continuations(Tokens{71, 7}, {}).matched, 2);
  EXPECT_EQ(state.cache.continuations(Tokens{70, 7}, {}).matched, 0);
}

TEST(FastCoder, EveryTwentyTokensOfOutputEnterTheCache) {
  FastCoderState state({});
  FastCoderSource source({}, {}, 3, nullptr, state);
  Tokens context = {90, 91, 92};
  for (TokenId i = 0; i < 19; ++i) context.push_back(i);
  source.draft(context, kNoLimit);
  EXPECT_EQ(state.cache.size(), 0U);
  context.push_back(19);
  source.draft(context, kNoLimit);
  EXPECT_EQ(state.cache.size(), 1U);
  context.resize(3 + 59, 50);
  source.draft(context, kNoLimit);
  EXPECT_EQ(state.cache.size(), 2U);
}

TEST(FastCoder, SearchesTheOpenCacheFirst) {
  const FastCoderOptions options{.retrieval = {}, .opens_at = 2};
  FastCoderState state(options);
  const auto repository = store({{1, 2, 3}, {7, 8, 9}});
  FastCoderSource source(options, {repository, nullptr}, 0, nullptr, state);
  state.cache.add(Tokens{1, 2, 50});
  EXPECT_EQ(tokens_of(source.draft(Tokens{1, 2}, kNoLimit)), Tokens{3}) << "closed";
  EXPECT_EQ(repository->searches(), 1);
  state.cache.add(Tokens{1, 2, 50, 51});
  const DraftTree draft = source.draft(Tokens{1, 2}, kNoLimit);
  EXPECT_EQ(tokens_of(draft), (Tokens{50, 51}));
  EXPECT_EQ(draft.origins()[0], DraftOrigin::kCache);
  EXPECT_EQ(repository->searches(), 1);
  EXPECT_EQ(tokens_of(source.draft(Tokens{7, 8}, kNoLimit)), Tokens{9}) << "has nothing there";
  FastCoderSource without({.retrieval = {}, .cache = false}, {repository, nullptr}, 0, nullptr,
                          state);
  EXPECT_EQ(tokens_of(without.draft(Tokens{1, 2}, kNoLimit)), Tokens{3});
}

TEST(FastCoder, SearchesTwoLargeStoresAtTheSameTime) {
  FastCoderState state({});
  const auto small = store({{1, 2, 3}});
  const auto repository = store({{1, 2, 3}}, kHuge);
  const auto common = store({{1, 2, 4}}, kHuge);
  FastCoderSource source({}, {repository, common}, 0, nullptr, state);
  EXPECT_EQ(tokens_of(source.draft(Tokens{1, 2}, kNoLimit)), (Tokens{3, 4}));
  EXPECT_EQ(repository->last_thread(), std::this_thread::get_id());
  EXPECT_NE(common->last_thread(), std::this_thread::get_id());
  FastCoderSource beside_small({}, {small, common}, 0, nullptr, state);
  beside_small.draft(Tokens{1, 2}, kNoLimit);
  EXPECT_EQ(common->last_thread(), std::this_thread::get_id());
}

// Runs a decoder by name on a prompt that both stores continue.
struct NamedRun {
  void operator()(const char* name, DecoderMemory* memory = nullptr) {
    const auto cache = model.new_cache(256);
    auto decoder = Decoder::make(*parse_decoder_name(name), {&model, cache.get()}, {}, {}, memory);
    ASSERT_TRUE(decoder);
    const auto decoded = (*decoder)->run(request, nullptr, {});
    ASSERT_TRUE(decoded);
    statistics = decoded->statistics;
  }
  std::int64_t drafted(DraftOrigin origin) const {
    return statistics.drafted_by_origin[static_cast<int>(origin)];
  }

  static Tokens text() {
    Tokens tokens(40);
    for (TokenId i = 0; i < 40; ++i) tokens[i] = i + 3;
    return tokens;
  }

  ScriptedModel model = ScriptedModel::replay(60, 2, text(), 0, 256);
  std::shared_ptr<const CountingStore> repository = store({text()});
  std::shared_ptr<const CountingStore> common = store({text()});
  DecodeRequest request{.prompt = {1, 2},
                        .original = {},
                        .stop_tokens = {0},
                        .repository = repository,
                        .common = common};
  DecodeStatistics statistics;
};

TEST(FastCoder, SwitchesLeaveAStoreOut) {
  NamedRun run;
  run("fastcoder:no-repo");
  EXPECT_EQ(run.repository->searches(), 0);
  EXPECT_GT(run.common->searches(), 0);
  run = NamedRun();
  run("fastcoder:no-common");
  EXPECT_GT(run.repository->searches(), 0);
  EXPECT_EQ(run.common->searches(), 0);
  EXPECT_GT(run.drafted(DraftOrigin::kRetrieval), 0);
  EXPECT_GT(run.statistics.tokens_per_pass(), 4);
}

TEST(FastCoder, TheCacheOutlivesTheRequest) {
  NamedRun run;
  DecoderMemory memory;
  run("fastcoder:l=3", &memory);
  const std::int64_t first = run.drafted(DraftOrigin::kCache);
  run("fastcoder:l=3", &memory);
  EXPECT_GT(run.drafted(DraftOrigin::kCache), first);
  run("fastcoder:l=3:fresh-cache", &memory);
  EXPECT_EQ(run.drafted(DraftOrigin::kCache), first);
  memory.forget();
  run("fastcoder:l=3", &memory);
  EXPECT_EQ(run.drafted(DraftOrigin::kCache), first);
  run("fastcoder:l=0:no-cache", &memory);
  EXPECT_EQ(run.drafted(DraftOrigin::kCache), 0);
}

TEST(Rest, CountsItsSearches) {
  take_searches();  // of other tests
  RestSource source(store({{1, 2, 3}}), {});
  source.draft(Tokens{1, 2}, kNoLimit);
  source.draft(Tokens{8, 9}, kNoLimit);
  EXPECT_EQ(take_searches().searches, 2);
  EXPECT_EQ(take_searches().searches, 0);
}

TEST(Rest, SearchesCommonCodeAndElseTheRepository) {
  NamedRun run;
  run("rest");
  EXPECT_EQ(run.repository->searches(), 0);
  EXPECT_GT(run.common->searches(), 0);
  run.request.common = nullptr;
  run("rest");
  EXPECT_GT(run.repository->searches(), 0);
  run.request.repository = nullptr;
  run("rest");
  EXPECT_EQ(run.statistics.tokens_per_pass(), 40.0 / 41);
}

}  // namespace
}  // namespace redraft
