// The order in which the model does what is asked of it, on the one thread that may use it.
//
// Why one thread. A forward pass takes all cores and reads all weights, so that two at a time would
// each take twice as long. So jobs wait for each other. But an edit of a large file runs for a
// minute, and a completion is worth nothing after a second: so between two passes a job asks
// (Control::give_way) whether something more urgent waits, which then runs there and then, within
// that call. The job goes on where it was, since its cache is its own. Only what is more urgent is
// let in, so these calls are never nested deeper than there are urgencies.
//
// An example: an edit runs, a next edit is asked for, and then a completion.
//
//   edit         passes, passes, gives way                              goes on, ends
//   completion                   added, runs at the end of a pass, ends
//   next edit    waits                                                                  runs
//
// A job does not begin before its time (`not_before`): that is how a completion waits for a pause
// in typing while nobody sleeps.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace redraft {

// What goes first when several jobs wait, the most urgent first.
enum class Urgency { kCompletion, kEdit, kNextEdit, kWarmUp };

// Owns the decode thread: one job at a time, the most urgent first, of equals the one that was
// added first. A job that takes long lets more urgent ones in between two forward passes. Any
// thread may add and cancel; nothing here blocks but the destructor and wait_until_idle.
class DecodeQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using JobId = std::int64_t;

  // What a job has from the queue while it runs.
  struct Control {
    std::stop_token stop;            // to be asked once per forward pass
    std::function<void()> give_way;  // runs what is more urgent, on this thread, before it returns
  };
  // Runs on the decode thread and lets no exception out.
  using Job = std::function<void(const Control&)>;

  DecodeQueue();
  ~DecodeQueue();  // asks what runs to stop, forgets those that wait and joins the thread
  DecodeQueue(const DecodeQueue&) = delete;
  DecodeQueue& operator=(const DecodeQueue&) = delete;

  // The job does not begin before `not_before`.
  JobId add(Job job, Urgency urgency, Clock::time_point not_before = {});
  // True: the job had not begun and never will. A running job is asked to stop and ends by itself.
  bool cancel(JobId id);
  void wait_until_idle();
  // Whether nothing runs or waits.
  bool is_idle();

 private:
  struct Waiting {
    JobId id;
    Urgency urgency;
    Clock::time_point not_before;  // when it was added, or later
    Job job;
  };
  struct Running {
    JobId id;
    std::stop_source stop;
  };

  void run(const std::stop_token& stop);
  // The next that may begin now, of those more urgent than `than` if it is given; waiting_.end():
  // none.
  std::vector<Waiting>::iterator next(const Urgency* than);
  void run_one(std::vector<Waiting>::iterator chosen, std::unique_lock<std::mutex>& lock);
  void give_way(Urgency to);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Waiting> waiting_;  // in the order they were added
  std::vector<Running> running_;  // each gave way to the one behind it
  JobId last_id_ = 0;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace redraft
