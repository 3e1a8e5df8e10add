// Why a slow thread gets less work and does not help others
//
// Threads are not equally fast: a hybrid processor has cores of two kinds, and any core may be
// shared with another program or throttled. If all shares are equal and every idle thread helps, a
// slow thread still delays the end: everyone waits for the chunk that it takes shortly before the
// end. A pool must never be slower with a slow thread than without it.
//
// An example. Eight threads divide 480 chunks, and a fast one does a chunk in 1 µs. Without the
// eighth the job takes 480 / 7 = 68.6 µs. If the eighth is ten times slower and begins with 60
// chunks of its own, of which it claims 15 at once, the job takes 150 µs. With a share in
// proportion to its speed, .98 * 480 * .1 / 7.1 = 6.6 chunks, it claims at most 6 and finishes them
// after 60 µs, while the others do the remaining 474 in 67.7 µs.
//
// So a share is in proportion to the thread's speed and rounded down for slow threads. Nothing in
// it takes longer than the whole job. A thread that suddenly slows down to half its speed causes
// little delay either: it has claimed a quarter of its share, and others take the rest.
//
// Speeds adapt slowly to single jobs, since any job may have been interrupted. Only for a thread
// that is known to be slow does a bad job count at once. A thread that is too slow for a single
// chunk is no longer timed, so its speed rises a little from job to job until it gets one. That is
// rare enough to cost nothing, however long the chunk takes.

#include "decoding/kernels/work_shares.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace redraft {
namespace {

constexpr float kEqual = 0.7f;    // a thread at least this fast counts as equal to the fastest
constexpr float kMargin = 0.98f;  // of what a slow thread could do
constexpr float kMinSpeed = 1.0f / 1024;
constexpr double kStep = 1.05;       // maximum factor by which a speed changes from job to job
constexpr int kMinChunks = 8;        // per thread; jobs with fewer are not informative
constexpr double kRecovery = 1.005;  // factor per job without a chunk

}  // namespace

void divide_chunks(int chunks, std::span<const float> speeds, std::span<int> bounds) {
  assert(bounds.size() == speeds.size() + 1);
  const auto n = static_cast<int>(speeds.size());
  float all = 0;
  int fast = 0;
  for (const float speed : speeds) {
    all += speed;
    fast += helps_others(speed);
  }
  const auto of_slow = [&](float speed) {
    return static_cast<int>(kMargin * static_cast<float>(chunks) * speed / all);
  };
  int left = chunks;  // the fast threads' chunks
  for (const float speed : speeds) {
    if (!helps_others(speed)) left -= of_slow(speed);
  }
  bounds[0] = 0;
  int before = 0;  // fast threads so far
  for (int i = 0; i < n; ++i) {
    const float speed = speeds[static_cast<std::size_t>(i)];
    int share = of_slow(speed);
    if (helps_others(speed)) {
      share = left * (before + 1) / fast - left * before / fast;
      ++before;
    }
    bounds[static_cast<std::size_t>(i) + 1] = bounds[static_cast<std::size_t>(i)] + share;
  }
  assert(bounds[static_cast<std::size_t>(n)] == chunks);
}

bool helps_others(float speed) { return speed >= kEqual; }

void ThreadSpeeds::learn(std::span<const Work> work) {
  assert(work.size() == speeds_.size());
  double fastest = 0;  // chunks per second
  int most_chunks = 0, all_chunks = 0;
  for (const Work& one : work) {
    most_chunks = std::max(most_chunks, one.chunks);
    all_chunks += one.chunks;
  }
  if (all_chunks < kMinChunks * static_cast<int>(work.size())) return;
  for (const Work& one : work) {
    // The timing of a few chunks is imprecise.
    if (4 * one.chunks >= most_chunks && one.seconds > 0)
      fastest = std::max(fastest, one.chunks / one.seconds);
  }
  if (!(fastest > 0)) return;
  for (std::size_t i = 0; i < work.size(); ++i) {
    const double known = speeds_[i];
    double speed = known * kRecovery;
    if (work[i].chunks > 0 && work[i].seconds > 0) {
      const double seen = work[i].chunks / work[i].seconds / fastest;
      const double least = helps_others(speeds_[i]) ? known / kStep : 0;
      speed = std::clamp(seen, least, known * kStep);
    }
    speeds_[i] = std::clamp(static_cast<float>(speed), kMinSpeed, 1.0f);
  }
  // The fastest becomes 1, whatever it was before, since it may be another thread now.
  const float most = *std::max_element(speeds_.begin(), speeds_.end());
  rounded_.resize(speeds_.size());
  for (std::size_t i = 0; i < speeds_.size(); ++i) {
    speeds_[i] /= most;
    rounded_[i] = helps_others(speeds_[i]) ? 1.0f : speeds_[i];
  }
}

}  // namespace redraft
