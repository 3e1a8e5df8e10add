#include "decoding/prefix_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

#include "tests/kit/scripted_model.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

constexpr int kCapacity = 64;

Tokens counted(int count, TokenId first) {
  Tokens tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((first + i) % 24);
  return tokens;
}

Tokens joined(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Tokens tokens_of(const KvCache& cache) { return {cache.tokens().begin(), cache.tokens().end()}; }

// One request: finds what it can, runs the rest and writes `output` more tokens. Returns how many
// tokens it found.
int run(PrefixPool& pool, ScriptedModel& model, const Tokens& prompt, int output = 0) {
  const PrefixPool::Lease lease = pool.acquire(model, prompt);
  const int found = lease.cache().length();
  Tokens rest(prompt.begin() + found, prompt.end());
  for (int i = 0; i < output; ++i) rest.push_back(23);
  if (!rest.empty()) model.forward(rest, {}, lease.cache(), {.every_row = false});
  return found;
}

class PrefixPoolTest : public testing::Test {
 protected:
  ScriptedModel model_ = ScriptedModel::random(1, {});
  ScriptedModel other_ = ScriptedModel::random(2, {});
};

TEST_F(PrefixPoolTest, AnotherInstructionForATextTakesItsCache) {
  PrefixPool pool(kCapacity, 1 << 20);
  const Tokens text = counted(20, 0);
  EXPECT_EQ(run(pool, model_, joined(text, {1, 2}), 22), 0);
  EXPECT_EQ(run(pool, model_, joined(text, {5, 6})), 20);
  EXPECT_EQ(pool.statistics().forks, 0);
  EXPECT_EQ(pool.statistics().caches, 1) << "what the model wrote is not worth a copy of the text";
}

TEST_F(PrefixPoolTest, TextsThatShareOnlyTheirBeginningAllStay) {
  PrefixPool pool(kCapacity, 1 << 20);
  const Tokens system = counted(4, 10);
  const Tokens texts[] = {joined(system, counted(20, 0)), joined(system, counted(20, 1)),
                          joined(system, counted(20, 2))};
  for (const Tokens& text : texts) run(pool, model_, text);
  for (const TokenId round : {7, 8, 9}) {
    for (const Tokens& text : texts) EXPECT_EQ(run(pool, model_, joined(text, {round})), 24);
  }
  EXPECT_EQ(pool.statistics().caches, 3);
}

TEST_F(PrefixPoolTest, TheOldestGoesFirst) {
  PrefixPool pool(kCapacity, 3 * 20 * ScriptedModel::kSlotBytes);
  for (const TokenId first : {0, 1, 2}) run(pool, model_, counted(20, first));
  EXPECT_EQ(run(pool, model_, counted(20, 0)), 20);  // 1 is now the oldest
  EXPECT_EQ(run(pool, model_, counted(20, 3)), 0);
  EXPECT_EQ(pool.statistics().evictions, 1);
  EXPECT_EQ(run(pool, model_, counted(20, 0)), 20);
  EXPECT_EQ(run(pool, model_, counted(20, 2)), 20);
  EXPECT_EQ(run(pool, model_, counted(20, 1)), 0);
}

TEST_F(PrefixPoolTest, ModelsDoNotMix) {
  PrefixPool pool(kCapacity, 1 << 20);
  EXPECT_EQ(run(pool, model_, counted(20, 0)), 0);
  EXPECT_EQ(run(pool, other_, counted(20, 0)), 0);
  EXPECT_EQ(run(pool, other_, counted(20, 0)), 20);
}

TEST_F(PrefixPoolTest, LentCachesAreNeitherFoundNorDropped) {
  PrefixPool pool(kCapacity, 30 * ScriptedModel::kSlotBytes);
  run(pool, model_, counted(20, 0));
  const PrefixPool::Lease lent = pool.acquire(model_, counted(20, 0));
  EXPECT_EQ(lent.cache().length(), 20);
  EXPECT_EQ(run(pool, model_, counted(20, 0)), 0);
  pool.clear();
  EXPECT_EQ(tokens_of(lent.cache()), counted(20, 0));
}

TEST_F(PrefixPoolTest, KeepsTheBeginningOfATextTooLongForTheBudget) {
  PrefixPool pool(kCapacity, 10 * ScriptedModel::kSlotBytes + 1);
  EXPECT_EQ(run(pool, model_, counted(20, 0)), 0);
  EXPECT_EQ(pool.statistics().bytes, 10 * ScriptedModel::kSlotBytes);
  EXPECT_EQ(run(pool, model_, counted(20, 0)), 10);
  PrefixPool none(kCapacity, 0);
  EXPECT_EQ(run(none, model_, counted(20, 0)), 0);
  EXPECT_EQ(run(none, model_, counted(20, 0)), 0);
  EXPECT_EQ(none.statistics().caches, 0);
}

TEST_F(PrefixPoolTest, CountsWhatItSaves) {
  PrefixPool pool(kCapacity, 1 << 20);
  run(pool, model_, counted(20, 0));
  run(pool, model_, joined(counted(15, 0), {1}));
  run(pool, model_, joined(counted(5, 0), {7, 7}));
  const PrefixPool::Statistics statistics = pool.statistics();
  EXPECT_EQ(statistics.lookups, 3);
  EXPECT_EQ(statistics.hits, 2);
  EXPECT_EQ(statistics.asked_tokens, 20 + 16 + 7);
  EXPECT_EQ(statistics.reused_tokens, 15 + 5);
  EXPECT_EQ(statistics.forks, 1);
  EXPECT_EQ(statistics.caches, 2);
  EXPECT_EQ(statistics.bytes, (16 + 7) * ScriptedModel::kSlotBytes);
}

// The rules of the pool in the simplest form, over token lists instead of caches.
class NaivePool {
 public:
  struct Entry {
    const LanguageModel* model;
    Tokens tokens;
    int asked;
  };
  explicit NaivePool(int budget) : budget_(budget) {}  // in tokens

  // What a cache for `tokens` holds when it is lent.
  Tokens acquire(const LanguageModel& model, const Tokens& tokens) {
    int best = -1;
    int shared = 0;
    for (int i = 0; i < static_cast<int>(kept.size()); ++i) {
      const int common = kept[i].model == &model ? common_prefix(kept[i].tokens, tokens) : 0;
      if (common > 0 && common >= shared) best = i, shared = common;
    }
    if (best >= 0) {
      const int length = static_cast<int>(kept[best].tokens.size());
      const bool keeps = std::min(length, kept[best].asked) - shared > shared &&
                         length + static_cast<int>(tokens.size()) + lent <= budget_;
      forks += keeps ? 1 : 0;
      if (!keeps) kept.erase(kept.begin() + best);
    }
    const int asked = static_cast<int>(tokens.size());
    make_room(asked);
    lent += asked;
    return {tokens.begin(), tokens.begin() + shared};
  }
  void give_back(Entry entry) {
    lent -= entry.asked;
    const int room = std::max(0, budget_ - lent);
    if (static_cast<int>(entry.tokens.size()) > room) entry.tokens.resize(room);
    if (entry.tokens.empty()) return;
    make_room(static_cast<int>(entry.tokens.size()));
    kept.push_back(std::move(entry));
  }
  int size() const {
    int sum = 0;
    for (const Entry& entry : kept) sum += static_cast<int>(entry.tokens.size());
    return sum;
  }

  std::vector<Entry> kept;  // oldest first
  int lent = 0;
  int forks = 0;

 private:
  static int common_prefix(const Tokens& a, const Tokens& b) {
    int common = 0;
    while (common < static_cast<int>(std::min(a.size(), b.size())) && a[common] == b[common])
      ++common;
    return common;
  }
  void make_room(int count) {
    while (!kept.empty() && size() + lent + count > budget_) kept.erase(kept.begin());
  }
  int budget_;
};

// Random requests of two models, up to two of them at once, that extend, truncate and fork what
// they hold. The scripted model checks every slot of every cache that it runs on.
class RandomRequests {
 public:
  explicit RandomRequests(std::uint32_t seed)
      : random_(seed),
        budget_(below(200)),
        naive_(budget_),
        pool_(kCapacity, budget_ * ScriptedModel::kSlotBytes + ScriptedModel::kSlotBytes / 2) {}

  void step() {
    const int choice = below(10);
    if (choice == 0) {
      pool_.clear();
      naive_.kept.clear();
    } else if (leases_.empty() || (choice < 4 && leases_.size() < 2)) {
      acquire();
    } else if (choice < 7) {
      change(below(2) == 0 ? leases_.front() : leases_.back());
    } else {
      give_back(below(static_cast<int>(leases_.size())));
    }
    const PrefixPool::Statistics statistics = pool_.statistics();
    ASSERT_EQ(statistics.caches, static_cast<int>(naive_.kept.size()));
    ASSERT_EQ(statistics.bytes, naive_.size() * ScriptedModel::kSlotBytes);
    ASSERT_EQ(statistics.forks, naive_.forks);
    if (!naive_.kept.empty()) {
      ASSERT_LE(naive_.size() + naive_.lent, budget_);
    }
  }
  std::int64_t forks() const { return pool_.statistics().forks; }
  std::int64_t evictions() const { return pool_.statistics().evictions; }

 private:
  struct Lent {
    PrefixPool::Lease lease;
    ScriptedModel* model;
    int asked;
  };

  int below(int limit) {
    return static_cast<int>(random_() % static_cast<std::uint32_t>(std::max(limit, 1)));
  }

  Tokens random_prompt() {
    // Few beginnings and few tokens, so that prompts share much, little or nothing.
    Tokens tokens = counted(below(20), below(3));
    for (int i = below(30); i >= 0; --i) tokens.push_back(below(2));
    return tokens;
  }

  void acquire() {
    ScriptedModel* const model = &models_[below(2)];
    const Tokens prompt = random_prompt();
    const Tokens expected = naive_.acquire(*model, prompt);
    leases_.push_back({pool_.acquire(*model, prompt), model, static_cast<int>(prompt.size())});
    KvCache& cache = leases_.back().lease.cache();
    ASSERT_EQ(tokens_of(cache), expected);
    const Tokens rest(prompt.begin() + cache.length(), prompt.end());
    if (!rest.empty() && below(4) > 0) {
      leases_.back().model->forward(rest, {}, cache, {.every_row = false});
    }
  }

  void change(Lent& lent) {
    KvCache& cache = lent.lease.cache();
    if (below(3) == 0) {
      cache.truncate(below(cache.length() + 1));
      return;
    }
    DraftTree draft;
    for (int i = below(5); i > 0; --i) {
      draft.add(below(24), below(draft.size() + 1) - 1, DraftOrigin::kOther);
    }
    if (cache.length() + 1 + draft.size() > kCapacity) return;
    const TokenId next = below(24);
    lent.model->forward({&next, 1}, draft, cache, {});
    std::vector<int> path;
    for (int node = below(draft.size() + 1) - 1; node >= 0; node = draft.parents()[node])
      path.insert(path.begin(), node);
    cache.keep(path);
  }

  void give_back(int idx) {
    const auto lent = std::next(leases_.begin(), idx);
    naive_.give_back({lent->model, tokens_of(lent->lease.cache()), lent->asked});
    leases_.erase(lent);
  }

  std::mt19937 random_;
  ScriptedModel models_[2] = {ScriptedModel::random(1, {}), ScriptedModel::random(2, {})};
  int budget_;  // tokens
  NaivePool naive_;
  PrefixPool pool_;
  std::list<Lent> leases_;
};

TEST(PrefixPool, DoesWhatTheRulesSay) {
  std::int64_t forks = 0;
  std::int64_t evictions = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomRequests requests(seed);
    for (int i = 0; i < 200 && !testing::Test::HasFatalFailure(); ++i) requests.step();
    if (testing::Test::HasFatalFailure()) return;
    forks += requests.forks();
    evictions += requests.evictions();
  }
  EXPECT_GT(forks, 100);
  EXPECT_GT(evictions, 100);
}

}  // namespace
}  // namespace redraft
