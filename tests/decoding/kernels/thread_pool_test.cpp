#include "decoding/kernels/thread_pool.h"

#include <gtest/gtest.h>
#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/thread_time.h"

namespace redraft {
namespace {

void check_cover(ThreadPool& pool, int count, int grain) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
  std::atomic<int> ragged{0};
  pool.parallel_for(count, grain, [&](int begin, int end) {
    if (begin % grain != 0 || (end != count && end % grain != 0)) ++ragged;
    for (int i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
  });
  EXPECT_EQ(ragged, 0);
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(seen[static_cast<std::size_t>(i)], 1) << i << " of " << count;
}

TEST(ThreadPool, CoversEachIndexOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (const int count : {0, 1, 2, 7, 64, 1000}) {
      for (const int grain : {1, 3, 16, 2000}) check_cover(pool, count, grain);
    }
  }
}

TEST(ThreadPool, CoversAsManyAsAnIntHolds) {
  constexpr int kAll = std::numeric_limits<int>::max();
  ThreadPool pool(3);
  for (const int grain : {1, 1 << 30, kAll - 1, kAll}) {
    std::atomic<std::int64_t> covered{0};
    std::atomic<bool> ordered{true};
    pool.parallel_for(kAll, grain, [&](int begin, int end) {
      covered += std::int64_t{end} - begin;
      if (begin < 0 || end <= begin) ordered = false;
    });
    EXPECT_EQ(covered, kAll) << grain;
    EXPECT_TRUE(ordered) << grain;
  }
}

// The caller is held up at the start of its share until another thread has taken some of it.
TEST(ThreadPool, AThreadThatIsHeldUpIsHelped) {
  ThreadPool pool(4);
  constexpr int kShare = 100;
  const std::thread::id caller = std::this_thread::get_id();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::atomic<int> helped{0};
  pool.parallel_for(4 * kShare, 1, [&](int begin, int end) {
    if (begin < kShare && std::this_thread::get_id() != caller) helped += end - begin;
    if (begin != 0) return;
    while (helped == 0 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  });
  EXPECT_GT(helped, 0);
}

TEST(ThreadPool, ManySmallJobsInARow) {
  ThreadPool pool(4);
  for (int job = 0; job < 20000; ++job) {
    std::atomic<int> sum{0};
    pool.parallel_for(5, 1, [&](int begin, int end) { sum += end - begin; });
    ASSERT_EQ(sum, 5) << job;
  }
}

TEST(ThreadPool, WakesSleepingThreads) {
  ThreadPool pool(3);
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // far longer than threads spin
    // Each part waits for another: this can only end if threads have woken up.
    std::atomic<int> arrived{0};
    pool.parallel_for(2, 1, [&](int begin, int end) {
      arrived += end - begin;
      while (arrived < 2) std::this_thread::yield();
    });
    ASSERT_EQ(arrived, 2);
  }
}

// The ranges that do not throw still run; the pool stays usable.
TEST(ThreadPool, TheFirstExceptionReachesTheCaller) {
  for (const int threads : {2, 4}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> seen(64);
      const auto run = [&] {
        pool.parallel_for(64, 1, [&](int begin, int end) {
          for (int i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
          if (begin % 3 == 0) throw std::runtime_error("range " + std::to_string(begin));
        });
      };
      EXPECT_THROW(run(), std::runtime_error);
      for (int i = 0; i < 64; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], 1) << i;
      check_cover(pool, 100, 3);
    }
  }
  ThreadPool alone(1);
  const auto thrower = [](int, int) { throw std::runtime_error("in place"); };
  EXPECT_THROW(alone.parallel_for(10, 1, thrower), std::runtime_error);
}

TEST(ThreadPool, CallsFromABodyRunInPlace) {
  ThreadPool pool(3);
  ThreadPool other(2);
  std::atomic<int> inner{0};
  std::atomic<int> foreign{0};
  std::atomic<int> ranges{0};
  pool.parallel_for(24, 1, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const std::thread::id here = std::this_thread::get_id();
      pool.parallel_for(10, 1, [&](int from, int to) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        inner += to - from;
        ++ranges;
      });
      other.parallel_for(10, 1, [&](int from, int to) { foreign += to - from; });
    }
  });
  EXPECT_EQ(inner, 240);
  EXPECT_EQ(ranges, 24);
  EXPECT_EQ(foreign, 240);
  check_cover(pool, 1000, 1);
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) check_cover(pool, 50, 3);
    });
  }
  for (std::thread& caller : callers) caller.join();
}

// The processor's time that all threads but this one have used.
std::chrono::nanoseconds time_of_others() {
  timespec all{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
  return std::chrono::seconds(all.tv_sec) + std::chrono::nanoseconds(all.tv_nsec) - thread_time();
}

// A pool that spun while idle would use a whole core for each of its seven waiting threads, or what
// a busy machine leaves them of it. One that sleeps uses nothing at all, once its threads have come
// to it.
TEST(ThreadPool, AnIdlePoolUsesNoProcessor) {
  ThreadPool pool(8);
  check_cover(pool, 1000, 1);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::chrono::nanoseconds used{};
  do {
    const auto before = time_of_others();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    used = time_of_others() - before;
  } while (used > std::chrono::milliseconds(1) && std::chrono::steady_clock::now() < limit);
  EXPECT_LT(used, std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace redraft
