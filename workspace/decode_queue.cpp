#include "workspace/decode_queue.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace redraft {

DecodeQueue::DecodeQueue() : thread_([this](std::stop_token stop) { run(stop); }) {
  pthread_setname_np(thread_.native_handle(), "decode");
}

DecodeQueue::~DecodeQueue() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  running_stop_.request_stop();
}

DecodeQueue::JobId DecodeQueue::add(Job job) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back({++last_id_, std::move(job)});
  changed_.notify_all();
  return last_id_;
}

bool DecodeQueue::cancel(JobId id) {
  const std::lock_guard lock(mutex_);
  if (running_ == id) running_stop_.request_stop();
  const bool forgotten =
      std::erase_if(waiting_, [&](const Entry& entry) { return entry.id == id; }) > 0;
  changed_.notify_all();
  return forgotten;
}

void DecodeQueue::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && running_ == 0; });
}

void DecodeQueue::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
    if (stop.stop_requested()) return;
    Entry entry = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = entry.id;
    running_stop_ = std::stop_source();
    const std::stop_token job_stop = running_stop_.get_token();
    lock.unlock();
    entry.job(job_stop);
    entry.job = nullptr;  // what it captured goes before the queue is called idle
    lock.lock();
    running_ = 0;
    changed_.notify_all();
  }
}

}  // namespace redraft
