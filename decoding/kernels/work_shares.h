#pragma once

#include <span>
#include <vector>

namespace redraft {

// How a pool of threads that are not equally fast divides a job of equal chunks: who begins with
// how many, and who takes what from whom. See the .cpp for why.

// Bounds [n + 1] of the shares that threads of these speeds (of 1, the fastest) begin with.
void divide_chunks(int chunks, std::span<const float> speeds, std::span<int> bounds);

// How many chunks a thread claims at once from the front of its own share, of `left` > 0, and from
// the back of another thread's.
inline int own_claim(int left) { return left / 4 > 1 ? left / 4 : 1; }
inline int stolen_claim(int left) { return left / 2 > 1 ? left / 2 : 1; }

// Whether a thread helps others when its own share is done. One that is slower than the rest would
// hold up the job with the last chunk that it takes.
bool helps_others(float speed);

// How fast the threads are, as learned from jobs.
class ThreadSpeeds {
 public:
  explicit ThreadSpeeds(int threads) : speeds_(static_cast<std::size_t>(threads), 1.0f) {}

  // What a thread did in a job; no chunks: it came too late, which says nothing.
  struct Work {
    int chunks = 0;
    double seconds = 0;
  };
  void learn(std::span<const Work> work);
  // Those within a tolerance of the fastest count as equally fast: 1.
  std::span<const float> speeds() const { return rounded_.empty() ? speeds_ : rounded_; }

 private:
  std::vector<float> speeds_;
  std::vector<float> rounded_;  // empty: nothing was learned yet
};

}  // namespace redraft
