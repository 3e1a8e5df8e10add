#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace redraft {

// Owns the decode thread: one job at a time, in the order they were added. Any thread may add and
// cancel; nothing here blocks but the destructor and wait_until_idle.
class DecodeQueue {
 public:
  using JobId = std::int64_t;
  // Runs on the decode thread, asks the token once per forward pass, and lets no exception out.
  using Job = std::function<void(std::stop_token)>;

  DecodeQueue();
  ~DecodeQueue();  // asks the running job to stop, forgets those that wait and joins the thread
  DecodeQueue(const DecodeQueue&) = delete;
  DecodeQueue& operator=(const DecodeQueue&) = delete;

  JobId add(Job job);
  // True: the job had not begun and never will. A running job is asked to stop and ends by itself.
  bool cancel(JobId id);
  void wait_until_idle();

 private:
  struct Entry {
    JobId id;
    Job job;
  };
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Entry> waiting_;
  JobId running_ = 0;  // 0: none
  std::stop_source running_stop_;
  JobId last_id_ = 0;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace redraft
