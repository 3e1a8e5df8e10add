#include "decoding/kernels/work_shares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace redraft {
namespace {

// A job as the pool runs it, on a machine whose threads do so many chunks per unit of time. Nothing
// is timed: the clock advances by the work that is done.
class SimulatedJob {
 public:
  SimulatedJob(int chunks, const std::vector<float>& speeds, std::span<const float> known)
      : speeds_(speeds),
        known_(known.begin(), known.end()),
        bounds_(speeds.size() + 1),
        work_(speeds.size()) {
    divide_chunks(chunks, known, bounds_);
    for (std::size_t i = 0; i < speeds.size(); ++i) left_.push_back(bounds_[i + 1] - bounds_[i]);
    run();
  }

  double duration() const { return duration_; }
  const std::vector<ThreadSpeeds::Work>& work() const { return work_; }

 private:
  void run() {
    std::vector<double> now(speeds_.size(), 0);
    std::vector<bool> done(speeds_.size(), false);
    for (;;) {
      // Whoever is free next claims next.
      std::size_t next = speeds_.size();
      for (std::size_t i = 0; i < speeds_.size(); ++i) {
        if (!done[i] && (next == speeds_.size() || now[i] < now[next])) next = i;
      }
      if (next == speeds_.size()) return;
      const int claimed = claim(next);
      if (claimed == 0) {
        done[next] = true;
        continue;
      }
      now[next] += static_cast<double>(claimed) / speeds_[next];
      work_[next].chunks += claimed;
      work_[next].seconds = now[next];
      duration_ = std::max(duration_, now[next]);
    }
  }
  int claim(std::size_t thread) {
    int claimed = 0;
    if (left_[thread] > 0) {
      claimed = own_claim(left_[thread]);
      left_[thread] -= claimed;
      return claimed;
    }
    if (!helps_others(known_[thread])) return 0;
    for (std::size_t i = 1; i < speeds_.size(); ++i) {
      int& other = left_[(thread + i) % speeds_.size()];
      if (other == 0) continue;
      claimed = stolen_claim(other);
      other -= claimed;
      return claimed;
    }
    return 0;
  }

  std::vector<float> speeds_;
  std::vector<float> known_;
  std::vector<int> bounds_;
  std::vector<int> left_;
  std::vector<ThreadSpeeds::Work> work_;
  double duration_ = 0;
};

// How long a job takes on average once the pool knows its threads; that includes trying out now
// and then whether a slow thread is faster by now.
double settled(int chunks, const std::vector<float>& speeds) {
  ThreadSpeeds known(static_cast<int>(speeds.size()));
  double sum = 0;
  constexpr int kJobs = 300;
  const int many = 60 * static_cast<int>(speeds.size());
  for (int job = -100; job < kJobs; ++job) {
    const SimulatedJob simulated(chunks, speeds, known.speeds());
    if (job >= 0) sum += simulated.duration();
    // Small jobs are among large ones.
    known.learn(simulated.work());
    known.learn(SimulatedJob(many, speeds, known.speeds()).work());
  }
  return sum / kJobs;
}

TEST(WorkShares, EquallyFastThreadsBeginWithEqualShares) {
  for (const int n : {1, 2, 3, 16}) {
    const std::vector<float> speeds(static_cast<std::size_t>(n), 1.0f);
    std::vector<int> bounds(speeds.size() + 1);
    for (const int chunks : {0, 1, 5, 60 * n, 60 * n - 1}) {
      divide_chunks(chunks, speeds, bounds);
      for (int i = 0; i <= n; ++i) EXPECT_EQ(bounds[static_cast<std::size_t>(i)], chunks * i / n);
    }
  }
}

TEST(WorkShares, AnySpeedsDivideAllChunks) {
  std::mt19937 random(7);
  for (int round = 0; round < 5000; ++round) {
    std::vector<float> speeds(1 + random() % 20);
    for (float& speed : speeds) speed = static_cast<float>(1 + random() % 64) / 64;
    speeds[random() % speeds.size()] = 1;
    std::vector<int> bounds(speeds.size() + 1);
    const int chunks = static_cast<int>(random() % (60 * speeds.size()));
    divide_chunks(chunks, speeds, bounds);
    EXPECT_EQ(bounds.front(), 0);
    EXPECT_EQ(bounds.back(), chunks);
    EXPECT_TRUE(std::is_sorted(bounds.begin(), bounds.end()));
  }
}

// The point of it all: with one slow thread a job takes no longer than without that thread. (A
// chunk is a unit of time for a fast thread.)
TEST(WorkShares, ASlowThreadIsNeverWorseThanNone) {
  for (const int n : {2, 3, 4, 6, 8, 12, 16}) {
    for (const float slowness : {1.1f, 1.3f, 2.0f, 4.0f, 10.0f, 40.0f, 200.0f}) {
      for (const int chunks : {n, 3 * n, 8 * n + 1, 60 * n}) {
        const std::vector<float> others(static_cast<std::size_t>(n) - 1, 1.0f);
        std::vector<float> speeds = others;
        speeds.push_back(1 / slowness);
        EXPECT_LE(settled(chunks, speeds), 1.04 * settled(chunks, others) + 0.1)
            << n << " threads, one of them " << slowness << " times slower, " << chunks
            << " chunks";
      }
    }
  }
}

// Fast and efficiency cores together are faster than the fast ones alone, as far as they can be.
TEST(WorkShares, EfficiencyCoresHelp) {
  for (const int fast : {1, 2, 4, 8}) {
    for (const int slow : {4, 8}) {
      for (const float speed : {0.4f, 0.6f}) {
        std::vector<float> speeds(static_cast<std::size_t>(fast), 1.0f);
        speeds.insert(speeds.end(), static_cast<std::size_t>(slow), speed);
        const int chunks = 60 * (fast + slow);
        const double ideal = chunks / std::accumulate(speeds.begin(), speeds.end(), 0.0);
        EXPECT_LE(settled(chunks, speeds), 1.15 * ideal + 1) << fast << " " << slow << " " << speed;
      }
    }
  }
}

// Before the pool knows: a thread of half the speed costs little, and then it learns.
TEST(WorkShares, AThreadThatSlowsDownIsGivenLessAndLaterMoreAgain) {
  std::vector<float> speeds(8, 1.0f);
  ThreadSpeeds known(8);
  speeds[3] = 0.5f;
  EXPECT_LE(SimulatedJob(480, speeds, known.speeds()).duration(), 1.1 * 480 / 7);
  const auto run = [&](int jobs) {
    for (int job = 0; job < jobs; ++job)
      known.learn(SimulatedJob(480, speeds, known.speeds()).work());
  };
  speeds[3] = 0.25f;
  run(40);
  EXPECT_NEAR(known.speeds()[3], 0.25, 0.05);
  speeds[3] = 1e-3f;  // stopped: no chunk is worth giving it
  run(200);
  EXPECT_LT(SimulatedJob(480, speeds, known.speeds()).work()[3].chunks, 2);
  speeds[3] = 1;
  run(600);
  EXPECT_EQ(known.speeds()[3], 1);
}

TEST(WorkShares, SmallDifferencesAndSingleInterruptionsChangeNothing) {
  ThreadSpeeds known(4);
  known.learn(std::vector<ThreadSpeeds::Work>{{60, 60.0}, {60, 66.0}, {54, 60.0}, {0, 0.0}});
  for (const float speed : known.speeds()) EXPECT_EQ(speed, 1);
  known = ThreadSpeeds(4);
  known.learn(std::vector<ThreadSpeeds::Work>{{60, 60.0}, {60, 1e6}, {60, 60.0}, {60, 60.0}});
  for (const float speed : known.speeds()) EXPECT_EQ(speed, 1);
  known.learn(std::vector<ThreadSpeeds::Work>(4));  // nobody did anything
  for (const float speed : known.speeds()) EXPECT_EQ(speed, 1);
}

}  // namespace
}  // namespace redraft
