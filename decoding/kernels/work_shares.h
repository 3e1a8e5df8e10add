#pragma once

#include <span>
#include <vector>

namespace redraft {

// How a pool of threads that are not equally fast divides a job of equal chunks: how many chunks
// each thread begins with, and which thread takes chunks from which. The .cpp says why.

// Computes the bounds [n + 1] of the initial shares of threads with these speeds (1: the fastest).
void divide_chunks(int chunks, std::span<const float> speeds, std::span<int> bounds);

// How many of `left` > 0 chunks a thread claims at once from the front of its own share, and from
// the back of another thread's share.
inline int own_claim(int left) { return left / 4 > 1 ? left / 4 : 1; }
inline int stolen_claim(int left) { return left / 2 > 1 ? left / 2 : 1; }

// Whether a thread helps others when its own share is done. A thread that is slower than the rest
// would delay the job with the last chunk that it takes.
bool helps_others(float speed);

// How fast the threads are, as learned from jobs.
class ThreadSpeeds {
 public:
  explicit ThreadSpeeds(int threads) : speeds_(static_cast<std::size_t>(threads), 1.0f) {}

  // The work of a thread in a job. No chunks: it came too late, which says nothing.
  struct Work {
    int chunks = 0;
    double seconds = 0;
  };
  void learn(std::span<const Work> work);
  // Speeds within a tolerance of the fastest count as equal to it: 1.
  std::span<const float> speeds() const { return rounded_.empty() ? speeds_ : rounded_; }

 private:
  std::vector<float> speeds_;
  std::vector<float> rounded_;  // empty: nothing learned yet
};

}  // namespace redraft
