#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace redraft::lsp {

// A thread for what would keep the event loop from other clients: it reads long messages and
// applies changes to long texts. Starts with the first work; work is done in the order in which it
// came. The destructor waits for the work under way, at most for one message, and drops the rest.
class SideThread {
 public:
  SideThread() = default;
  SideThread(const SideThread&) = delete;
  SideThread& operator=(const SideThread&) = delete;

  // `work` must not throw; it is destroyed on that thread, too. Any thread.
  void run(std::function<void()> work);

 private:
  void work_until(const std::stop_token& stop);

  std::mutex mutex_;  // guards the following members
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> waiting_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace redraft::lsp
