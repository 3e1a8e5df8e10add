#include "decoding/kernels/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

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
    // Each part waits for another: only threads that have woken can end this.
    std::atomic<int> arrived{0};
    pool.parallel_for(2, 1, [&](int begin, int end) {
      arrived += end - begin;
      while (arrived < 2) std::this_thread::yield();
    });
    ASSERT_EQ(arrived, 2);
  }
}

}  // namespace
}  // namespace redraft
