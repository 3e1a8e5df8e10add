#include "lsp/host/side_thread.h"

#include <utility>

#include "support/named_thread.h"

namespace redraft::lsp {

void SideThread::run(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  waiting_.push_back(std::move(work));
  changed_.notify_one();
  if (thread_.joinable()) return;
  thread_ =
      start_thread("redraft-aside", [this](const std::stop_token& stop) { work_until(stop); });
}

void SideThread::work_until(const std::stop_token& stop) {
  while (true) {
    std::function<void()> work;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
      if (stop.stop_requested()) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
    }
    work();
  }
}

}  // namespace redraft::lsp
