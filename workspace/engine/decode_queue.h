// The order in which the model does its jobs, on the one thread that may use it.
//
// Why one thread. A forward pass uses all cores and reads all weights, so two at a time would each
// take twice as long. So jobs wait for each other. But an edit of a large file runs for a minute,
// and a completion is worth nothing after a second. So between two passes a job asks
// (Control::give_way) whether something more urgent waits, which then runs at once, within that
// call. The job continues where it was, since it has a KV cache of its own. Only more urgent jobs
// get in, so these calls are nested no deeper than there are urgencies.
//
// An example: an edit runs; a next edit is requested, and then a completion.
//
//   edit         passes, passes, gives way                              goes on, ends
//   completion                   added, runs at the end of a pass, ends
//   next edit    waits                                                                  runs
//
// While a model is being loaded, no pass can begin, but what needs none can be done: such a job, of
// the urgency kWithoutModel, is let in by Control::let_in.
//
// A job does not start before its time (`not_before`): that is how a completion is debounced
// without a sleeping thread.
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

// Which of several waiting jobs runs first, the most urgent first.
enum class Urgency { kWithoutModel, kCompletion, kEdit, kNextEdit, kWarmUp };

// Owns the decode thread. Runs one job at a time: the most urgent, and among equals the one added
// first. A long job lets more urgent ones run between two forward passes. Any thread may add and
// cancel; only the destructor and wait_until_idle block.
class DecodeQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using JobId = std::int64_t;

  // What a job gets from the queue while it runs.
  struct Control {
    std::stop_token stop;            // to be checked once per forward pass
    std::function<void()> give_way;  // runs more urgent jobs on this thread before it returns
    std::function<void()> let_in;    // the same with those that need no model
  };
  // Runs on the decode thread and must not throw.
  using Job = std::function<void(const Control&)>;

  DecodeQueue();
  ~DecodeQueue();  // stops the running job, drops waiting ones and joins the thread
  DecodeQueue(const DecodeQueue&) = delete;
  DecodeQueue& operator=(const DecodeQueue&) = delete;

  // The job does not start before `not_before`.
  JobId add(Job job, Urgency urgency, Clock::time_point not_before = {});
  // True: the job had not started and never will. A running job is asked to stop and ends by
  // itself.
  bool cancel(JobId id);
  void wait_until_idle();
  // Whether no job runs or waits.
  bool is_idle();
  // From now on `at_rest` is run on the decode thread once no job has run or waited for so long,
  // and again when that comes to pass after another job. It must not throw. Zero: never.
  void set_rest(Clock::duration after, std::function<void()> at_rest);

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

  struct Rest {
    Clock::duration after = {};
    std::function<void()> run = {};
    Clock::time_point since = {};  // when the last job ended
    bool due = false;              // not run since then
    int version = 0;               // counts set_rest()
  };

  void run(const std::stop_token& stop);
  // Until there is a job, or set_rest() was called; may run what is to be run at rest.
  void await_job(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  // The next job that may start now, of those more urgent than `than` if that is given;
  // waiting_.end(): none.
  std::vector<Waiting>::iterator next(const Urgency* than);
  void run_one(std::vector<Waiting>::iterator chosen, std::unique_lock<std::mutex>& lock);
  void give_way(Urgency to);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Waiting> waiting_;  // in the order in which they were added
  std::vector<Running> running_;  // each gave way to the next one
  Rest rest_;
  JobId last_id_ = 0;
  std::jthread thread_;  // last: it uses the other members
};

}  // namespace redraft
