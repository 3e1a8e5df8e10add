// The order in which the model does its jobs, on the one thread that may use it
//
// A forward pass uses all cores and reads all weights, so two passes at a time would each take
// twice as long. Therefore jobs wait for each other. But an edit of a large file runs for a minute,
// and a completion is worthless after a second. So a job calls Control::give_way between two
// passes. If something more urgent waits, it runs within that call. Then the job continues; it has
// its own KV cache. Only more urgent jobs run within a job, so these calls are nested no deeper
// than there are urgencies.
//
// Example: an edit runs; a next edit is requested, and then a completion.
//
//   edit         passes, passes, gives way                              continues, ends
//   completion                   added, runs at the end of a pass, ends
//   next edit    waits                                                                  runs
//
// While a model is being loaded, no pass can begin, but jobs that need no model can run: they have
// the urgency kWithoutModel, and Control::let_in runs them.
//
// A job does not start before its time (`not_before`). That debounces a completion without a
// sleeping thread.
//
// A job that throws ends, and nothing else does: the queue catches the exception, calls the job's
// `on_failure`, and runs the next job.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "support/result.h"

namespace redraft {

// Which of several waiting jobs runs first, the most urgent first.
enum class Urgency { kWithoutModel, kCompletion, kEdit, kNextEdit, kWarmUp };

// Owns the decode thread. Runs one job at a time: the most urgent one, and among equals the one
// that was added first. A long job lets more urgent ones run between two forward passes. Any thread
// may add and cancel jobs; only the destructor and wait_until_idle() block.
class DecodeQueue {
 public:
  using Clock = std::chrono::steady_clock;
  using JobId = std::int64_t;

  // What a job gets from the queue while it runs.
  struct Control {
    std::stop_token stop;            // check it once per forward pass
    std::function<void()> give_way;  // runs more urgent jobs on this thread before it returns
    std::function<void()> let_in;    // runs jobs that need no model
  };
  // Runs on the decode thread.
  using Job = std::function<void(const Control&)>;
  // Called on the decode thread, once, if the job threw. The job has not answered its client then,
  // because answering is the last thing that it does. Must not throw.
  using OnFailure = std::function<void(const Error&)>;

  DecodeQueue();
  ~DecodeQueue();  // stops the running job, drops waiting ones and joins the thread
  DecodeQueue(const DecodeQueue&) = delete;
  DecodeQueue& operator=(const DecodeQueue&) = delete;

  // The job does not start before `not_before`. Without `on_failure`, nobody is told that it threw.
  JobId add(Job job, Urgency urgency, Clock::time_point not_before = {}, OnFailure on_failure = {});
  // True: the job had not started and never will. False: a running job is asked to stop, and ends
  // on its own.
  bool cancel(JobId id);
  void wait_until_idle();
  // Whether no job runs or waits.
  bool is_idle();
  // Runs `at_rest` on the decode thread whenever no job has run or waited for `after`; once until
  // another job has run. It must not throw. Zero: never.
  void set_rest(Clock::duration after, std::function<void()> at_rest);

 private:
  struct Waiting {
    JobId id;
    Urgency urgency;
    Clock::time_point not_before;  // when it was added, or later
    Job job;
    OnFailure on_failure;
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
  // Blocks until there is a job, or until set_rest() is called. May run Rest::run.
  void await_job(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  // The next job that may start now; with `than`, only one that is more urgent. waiting_.end():
  // there is none.
  std::vector<Waiting>::iterator next(const Urgency* than);
  // Runs the job without the lock. The one place that catches what a job throws.
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
