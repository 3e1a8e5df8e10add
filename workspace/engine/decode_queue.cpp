#include "workspace/engine/decode_queue.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "support/named_thread.h"
#include "support/system/crash_notes.h"
#include "support/trace/trace.h"

namespace redraft {

DecodeQueue::DecodeQueue()
    : thread_(start_thread("redraft-decode", [this](const std::stop_token& stop) { run(stop); })) {}

DecodeQueue::~DecodeQueue() {
  thread_.request_stop();
  const std::lock_guard lock(mutex_);
  waiting_.clear();
  for (Running& running : running_) running.stop.request_stop();
}

DecodeQueue::JobId DecodeQueue::add(Job job, Urgency urgency, Clock::time_point not_before,
                                    OnFailure on_failure) {
  // The crash notes name the work of the adding thread.
  Job noted = [job = std::move(job), work = AtWork::here()](const Control& control) {
    const AtWork at_work(work);
    job(control);
  };
  const std::lock_guard lock(mutex_);
  waiting_.push_back({++last_id_, urgency, std::max(not_before, Clock::now()), std::move(noted),
                      std::move(on_failure)});
  changed_.notify_all();
  return last_id_;
}

bool DecodeQueue::cancel(JobId id) {
  const std::lock_guard lock(mutex_);
  for (Running& running : running_) {
    if (running.id == id) running.stop.request_stop();
  }
  const bool forgotten =
      std::erase_if(waiting_, [&](const Waiting& job) { return job.id == id; }) > 0;
  changed_.notify_all();
  return forgotten;
}

void DecodeQueue::wait_until_idle() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return waiting_.empty() && running_.empty(); });
}

bool DecodeQueue::is_idle() {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && running_.empty();
}

void DecodeQueue::set_rest(Clock::duration after, std::function<void()> at_rest) {
  const std::lock_guard lock(mutex_);
  rest_.after = after;
  rest_.run = std::move(at_rest);
  ++rest_.version;
  changed_.notify_all();
}

std::vector<DecodeQueue::Waiting>::iterator DecodeQueue::next(const Urgency* than) {
  const Clock::time_point now = Clock::now();
  auto chosen = waiting_.end();
  for (auto job = waiting_.begin(); job != waiting_.end(); ++job) {
    if (job->not_before > now || (than && job->urgency >= *than)) continue;
    if (chosen == waiting_.end() || job->urgency < chosen->urgency) chosen = job;
  }
  return chosen;
}

void DecodeQueue::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (const auto chosen = next(nullptr); chosen != waiting_.end()) {
      run_one(chosen, lock);
    } else if (waiting_.empty()) {
      await_job(lock, stop);
    } else {
      const auto first = std::ranges::min_element(waiting_, {}, &Waiting::not_before)->not_before;
      const JobId last = last_id_;
      changed_.wait_until(lock, stop, first, [&] { return waiting_.empty() || last_id_ != last; });
    }
  }
}

void DecodeQueue::await_job(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto news = [&, version = rest_.version] {
    return !waiting_.empty() || rest_.version != version;
  };
  if (!rest_.due || rest_.after == Clock::duration::zero()) {
    changed_.wait(lock, stop, news);
    return;
  }
  if (changed_.wait_until(lock, stop, rest_.since + rest_.after, news) || stop.stop_requested())
    return;
  rest_.due = false;
  const std::function<void()> at_rest = rest_.run;
  lock.unlock();
  at_rest();
  lock.lock();
}

void DecodeQueue::run_one(std::vector<Waiting>::iterator chosen,
                          std::unique_lock<std::mutex>& lock) {
  Waiting entry = std::move(*chosen);
  waiting_.erase(chosen);
  running_.push_back({entry.id, {}});
  const Control control{.stop = running_.back().stop.get_token(),
                        .give_way = [this, urgency = entry.urgency] { give_way(urgency); },
                        .let_in = [this] { give_way(Urgency::kCompletion); }};
  lock.unlock();
  trace_wait("queue", entry.not_before, "job", entry.id);
  {
    const Span span("job", "job", entry.id);
    try {
      entry.job(control);
    } catch (const std::exception& exception) {
      if (entry.on_failure) entry.on_failure(Error(exception.what()));
    }
  }
  // Destroys what they captured before the queue counts as idle.
  entry.job = nullptr;
  entry.on_failure = nullptr;
  lock.lock();
  running_.pop_back();
  rest_.since = Clock::now();
  rest_.due = true;
  changed_.notify_all();
}

void DecodeQueue::give_way(Urgency to) {
  std::unique_lock lock(mutex_);
  for (auto chosen = next(&to); chosen != waiting_.end(); chosen = next(&to)) run_one(chosen, lock);
}

}  // namespace redraft
