// Sequences with state beside keys and values, as recurrent layers have: it cannot be cut off at
// any length. The scripted model throws when its state is not that of the committed tokens, so
// every pass here is a check.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "decoding/cost_curve.h"
#include "decoding/decoder.h"
#include "decoding/kv_archive.h"
#include "decoding/prefix_pool.h"
#include "tests/decoding/kv_archive_fixture.h"
#include "tests/kit/lossless_case.h"
#include "tests/kit/scripted_model.h"
#include "tests/kit/strict_decoders.h"

namespace redraft {
namespace {

using Tokens = std::vector<TokenId>;

Tokens counted(int count, TokenId first = 0) {
  Tokens tokens;
  for (int i = 0; i < count; ++i) tokens.push_back((first + i) % 24);
  return tokens;
}

class SequenceStateTest : public KvArchiveTest {
 protected:
  SequenceStateTest() { model_.set_state(); }

  void read(KvCache& cache, const Tokens& tokens) {
    model_.forward(tokens, {}, cache, {.every_row = false});
  }
  // Throws unless rows and state are those of the cache's tokens.
  void check(KvCache& cache) { read(cache, {1}); }

  ScriptedModel model_ = ScriptedModel::random(1, {});
};

TEST_F(SequenceStateTest, IsCutBackOnlyToWhereItIsKnown) {
  const auto cache = model_.new_cache(64);
  read(*cache, counted(10));
  cache->remember();
  read(*cache, counted(5, 10));
  EXPECT_EQ(cache->truncatable_to(15), 15);
  EXPECT_EQ(cache->truncatable_to(100), 15);
  EXPECT_EQ(cache->truncatable_to(14), 10);
  EXPECT_EQ(cache->truncatable_to(9), 0);
  EXPECT_EQ(cache->usable_prefix(counted(13)), 10);
  EXPECT_EQ(cache->common_prefix(counted(13)), 13);
  EXPECT_EQ(cache->truncate(12), 10);
  EXPECT_EQ(cache->length(), 10);
  check(*cache);
  EXPECT_EQ(cache->truncate(9), 0);
  check(*cache);
}

TEST_F(SequenceStateTest, AModelWithoutItIsCutAnywhere) {
  ScriptedModel plain = ScriptedModel::random(1, {});
  const auto cache = plain.new_cache(64);
  plain.forward(counted(10), {}, *cache, {.every_row = false});
  cache->remember();
  EXPECT_EQ(cache->truncate(7), 7);
}

TEST_F(SequenceStateTest, FollowsTheAcceptedPathOfATree) {
  const auto cache = model_.new_cache(64);
  DraftTree draft;
  draft.add(5, -1, DraftOrigin::kOther);
  draft.add(6, -1, DraftOrigin::kOther);
  draft.add(7, 0, DraftOrigin::kOther);
  draft.add(8, 1, DraftOrigin::kOther);
  for (const std::vector<int>& path : {std::vector<int>{0, 2}, {1, 3}, {1}, {}}) {
    model_.forward(counted(3), draft, *cache, {});
    cache->keep(path);
    check(*cache);
  }
}

TEST_F(SequenceStateTest, AForkGoesOnByItself) {
  const auto cache = model_.new_cache(64);
  read(*cache, counted(10));
  cache->remember();
  read(*cache, counted(5, 10));
  const auto fork = cache->fork(12);
  EXPECT_EQ(fork->length(), 10);
  read(*fork, counted(6, 3));
  check(*fork);
  EXPECT_EQ(cache->length(), 15);
  check(*cache);
  EXPECT_EQ(cache->fork(cache->length())->length(), cache->length());
}

TEST_F(SequenceStateTest, ThePoolHandsOutWhatCanBeGoneOnWith) {
  PrefixPool pool(64, 1 << 20);
  const auto request = [&](const Tokens& prompt, int remembered) {
    const PrefixPool::Lease lease = pool.acquire(model_, prompt);
    const int found = lease.cache().length();
    const auto rest = std::span(prompt).subspan(static_cast<std::size_t>(found));
    const auto first = std::span(rest).first(static_cast<std::size_t>(remembered - found));
    if (!first.empty()) model_.forward(first, {}, lease.cache(), {.every_row = false});
    lease.cache().remember();
    const auto last = rest.subspan(first.size());
    model_.forward(last, {}, lease.cache(), {.every_row = false});
    return found;
  };
  const Tokens text = counted(20);
  EXPECT_EQ(request(joined(text, {1, 2, 3}), 18), 0);
  EXPECT_EQ(pool.known(model_, joined(text, {5, 6})), 18);
  EXPECT_EQ(request(joined(text, {5, 6}), 20), 18);
  EXPECT_EQ(request(joined(text, {5, 6, 7}), 22), 22) << "all of it is shared";
  EXPECT_EQ(pool.known(model_, counted(17)), 0) << "its state is not known there";
  EXPECT_EQ(pool.find(model_, counted(17)), nullptr);
}

TEST_F(SequenceStateTest, TheBudgetCountsIt) {
  const auto cache = model_.new_cache(64);
  read(*cache, counted(10));
  EXPECT_EQ(cache->bytes(), 10 * ScriptedModel::kSlotBytes + ScriptedModel::kStateBytes);
  cache->remember();
  EXPECT_EQ(cache->bytes(), 10 * ScriptedModel::kSlotBytes + 2 * ScriptedModel::kStateBytes);
  PrefixPool small(64, ScriptedModel::kStateBytes);
  {
    const PrefixPool::Lease lease = small.acquire(model_, counted(10));
    read(lease.cache(), counted(10));
  }
  EXPECT_EQ(small.statistics().caches, 0);
}

class StateArchiveTest : public SequenceStateTest {
 protected:
  void save_all(KvArchive& archive, const Tokens& tokens, int slack = 0) {
    const auto cache = model_.new_cache(400);
    read(*cache, tokens);
    const KvCache& saved = *cache;
    ASSERT_TRUE(archive.save(tokens, "/a/b.py", slack, [&] { return saved.storage(); }));
  }
  // How many of the tokens come back; the model goes on from there.
  int load(KvArchive& archive, const Tokens& tokens) {
    const KvArchive::Match match = archive.find(tokens);
    const auto cache = model_.new_cache(400);
    if (match.length == 0 || !archive.load(match, tokens, *cache->storage())) return 0;
    cache->append(std::span(tokens).first(static_cast<std::size_t>(match.length)), {});
    check(*cache);
    return match.length;
  }
};

TEST_F(StateArchiveTest, ComesBackForPromptsThatBeginWithAllOfAnEntry) {
  KvArchive archive = open();
  const Tokens text = counted(130);
  save_all(archive, text);
  EXPECT_EQ(load(archive, text), 130);
  EXPECT_EQ(load(archive, joined(text, {1, 2})), 130);
  EXPECT_EQ(load(archive, counted(129)), 0) << "there is no state for a part";
  KvArchive another = open();
  EXPECT_EQ(load(another, joined(text, {1, 2})), 130) << "after a restart";
}

TEST_F(StateArchiveTest, ALongerEntryDoesNotReplaceAShorterOne) {
  KvArchive archive = open();
  const Tokens text = counted(130);
  save_all(archive, text, 100);
  save_all(archive, joined(text, counted(200, 7)), 100);
  EXPECT_EQ(files().size(), 2U);
  EXPECT_EQ(load(archive, joined(text, {1, 2})), 130);
  EXPECT_EQ(load(archive, joined(text, counted(200, 7))), 330);
}

TEST_F(StateArchiveTest, IsRefusedByAModelWithoutStateAndWhenItIsDamaged) {
  KvArchive archive = open();
  const Tokens text = counted(130);
  save_all(archive, text);
  ScriptedModel plain = ScriptedModel::random(1, {});
  const auto cache = plain.new_cache(400);
  EXPECT_FALSE(archive.load(archive.find(text), text, *cache->storage()));
  std::string bytes = bytes_of(only_file());
  bytes[bytes.size() - 12] ^= 1;  // before the checksum of the state
  write_bytes(only_file(), bytes);
  EXPECT_EQ(load(archive, text), 0);
  EXPECT_TRUE(files().empty());
}

// The next instruction for the same text reads nothing of that text again, however short it is.
TEST_F(SequenceStateTest, IsRememberedWhereOtherRequestsBegin) {
  PrefixPool pool(700, 1 << 20);
  const CostCurve cost({{1, 1}, {8, 1.3}, {64, 2}});
  const Tokens text = counted(300);
  const auto request = [&](const Tokens& instruction) {
    DecodeRequest made{.prompt = joined(text, instruction), .shared_beginning = 300};
    made.max_new_tokens = 5;
    const PrefixPool::Lease lease = pool.acquire(model_, made.prompt);
    return decode("ar", {&model_, &lease.cache()}, {}, made, cost).statistics.cached_prompt_tokens;
  };
  EXPECT_EQ(request({1, 2, 3}), 0);
  EXPECT_EQ(request({4}), 300);
  EXPECT_EQ(request({5, 6, 7, 8, 9}), 300);
}

// Requests that share beginnings, through one pool, some of them cancelled or ended by their sink.
TEST_F(SequenceStateTest, RequestsThroughThePoolWriteWhatPlainDecodingWrites) {
  std::mt19937 random(5);
  PrefixPool pool(700, 60'000);
  ScriptedModel plain = ScriptedModel::random(1, {});
  const CostCurve cost({{1, 1}, {8, 1.3}, {64, 2}});
  const auto script = [&plain](std::span<const TokenId> sequence) { return plain.next(sequence); };
  const auto sure = [](std::span<const TokenId> sequence) {
    return sequence.back() % 2 == 0 ? 0.95F : 0.4F;
  };
  model_.set_skipping(4, script, sure);
  model_.set_head(3, script, sure);
  Tokens prompt;
  for (int turn = 0; turn < 120; ++turn) {
    prompt.resize(static_cast<std::size_t>(between(random, 0, static_cast<int>(prompt.size()))));
    const int size = between(random, 1, 400);
    while (std::ssize(prompt) < size) prompt.push_back(between(random, 0, 23));
    DecodeRequest request{.prompt = prompt, .max_new_tokens = 60};
    request.original = counted(50, between(random, 0, 23));
    const auto fresh = plain.new_cache(700);
    const DecodeResult expected = decode("ar", {&plain, fresh.get()}, {}, request);
    const std::string name =
        kStrictDecoders[static_cast<std::size_t>(turn) % std::size(kStrictDecoders)];
    const int limit = between(random, 0, 2) > 0 ? 100 : between(random, 1, 40);
    const bool cancels = between(random, 0, 1) == 1;
    std::stop_source stop;
    int taken = 0;
    const auto sink = [&](TokenId) {
      if (++taken < limit) return true;
      stop.request_stop();
      return cancels;  // else the sink ends it
    };
    const PrefixPool::Lease lease = pool.acquire(model_, prompt);
    ScriptedModel drafter = ScriptedModel::noisy(plain, 3, 30);
    const auto draft_cache = drafter.new_cache(700);
    const DecodeResult result =
        decode(name, {&model_, &lease.cache()}, {&drafter, draft_cache.get()}, request, cost, sink,
               stop.get_token());
    ASSERT_LE(result.tokens.size(), expected.tokens.size()) << name;
    ASSERT_TRUE(
        std::ranges::equal(result.tokens, std::span(expected.tokens).first(result.tokens.size())))
        << name << " in turn " << turn;
    if (taken < limit) {
      ASSERT_EQ(result.tokens, expected.tokens) << name << " in turn " << turn;
    }
  }
  EXPECT_GT(pool.statistics().reused_tokens, 0);
  EXPECT_GT(pool.statistics().forks, 0);
}

}  // namespace
}  // namespace redraft
