#include "remote/patience.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace redraft {
namespace {

constexpr int kFirstWait = 500;  // ms
constexpr int kMaxWait = 10000;
constexpr int kMinWait = 1;  // doubled each time, so that retries end whatever a server requests

bool is_worth_another_try(int status) {
  return status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

void wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

bool Patience::wait_after(const ExchangeEnd& end, const std::stop_token& stop) {
  if (!is_worth_another_try(end.status)) return false;
  const int doublings = std::min(attempt_++, 8);
  const int doubled = kFirstWait << doublings;
  const int wished =
      end.retry_after
          ? std::max(
                static_cast<int>(std::min<std::int64_t>(end.retry_after->count(), 3600) * 1000),
                kMinWait << doublings)
          : std::min(doubled, kMaxWait);
  if (wished > left_ms_) return false;
  left_ms_ -= wished;
  wait(std::chrono::milliseconds(wished), stop);
  return true;
}

}  // namespace redraft
