#include "lsp/host/log_sink.h"

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <unistd.h>

#include <mutex>
#include <utility>

#include "support/files/shared_log.h"
#include "support/files/user_folders.h"

namespace redraft::lsp {
namespace {

// Looks before each line: that takes two calls of the system, and lines are few.
class SharedLogSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit SharedLogSink(SharedLog log) : log_(std::move(log)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    log_.follow(STDERR_FILENO);
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    // What cannot be logged is lost.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  }
  void flush_() override {}

 private:
  SharedLog log_;
};

}  // namespace

std::optional<std::filesystem::path> shared_log_file() {
  const std::optional<std::filesystem::path> state = user_state_folder();
  if (!state) return std::nullopt;
  return *state / "redraft" / "lsp.log";
}

std::shared_ptr<spdlog::sinks::sink> make_log_sink() {
  if (const auto file = shared_log_file()) {
    SharedLog log(*file);
    if (log.is_at(STDERR_FILENO)) return std::make_shared<SharedLogSink>(std::move(log));
  }
  return std::make_shared<spdlog::sinks::stderr_sink_mt>();
}

}  // namespace redraft::lsp
