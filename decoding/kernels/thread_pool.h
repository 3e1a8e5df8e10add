#pragma once

#include <functional>
#include <memory>

namespace redraft {

// The single pool of compute threads. parallel_for divides work; which thread does a part never
// changes its result. The threads live as long as the pool and sleep when there is no work.
class ThreadPool {
 public:
  // `threads` >= 1 counts the calling thread: ThreadPool(1) runs everything in place. Throws a
  // std::runtime_error if the system cannot start that many.
  explicit ThreadPool(int threads);
  // No thread may be inside parallel_for.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const;
  // Calls body(begin, end) over disjoint ranges that cover [0, count), each a multiple of `grain`
  // except the last; returns when all are done. Work of one grain runs in place and wakes no
  // thread. Idle threads spin for a few microseconds after work, then sleep.
  //
  // A call from inside a body of the same pool runs in place, as one range. Calls from several
  // threads take turns. If a body throws, the other ranges still run; then the first exception
  // reaches the caller, and the pool remains usable (a call that runs in place stops at the
  // exception).
  void parallel_for(int count, int grain, const std::function<void(int begin, int end)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace redraft
