#pragma once

#include <functional>
#include <memory>

namespace redraft {

// The one pool of compute threads. parallel_for splits work; which thread does a part never changes
// its result.
class ThreadPool {
 public:
  // `threads` >= 1 counts the calling thread: ThreadPool(1) runs everything in place.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  // Calls body(begin, end) over disjoint ranges that cover [0, count), each a multiple of `grain`
  // but the last; returns when all are done. Idle threads spin for a few microseconds after work,
  // then sleep. Not re-entrant.
  void parallel_for(int count, int grain, const std::function<void(int begin, int end)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace redraft
