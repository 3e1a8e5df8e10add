#include "support/log/log.h"

#include <fmt/args.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <utility>

namespace redraft::logging {
namespace {

constexpr const char* kName = "redraft";
constexpr const char* kTimePattern = "%H:%M:%S.%e %l %v";
constexpr const char* kDatePattern = "%Y-%m-%d %H:%M:%S.%e %P %l %v";

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::kDebug:
      return spdlog::level::debug;
    case Level::kInfo:
      return spdlog::level::info;
    case Level::kWarning:
      return spdlog::level::warn;
    case Level::kError:
      return spdlog::level::err;
    case Level::kCritical:
      break;
  }
  return spdlog::level::critical;
}

// Looks before each line: that takes two system calls, and lines are few.
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

void log_to(std::shared_ptr<spdlog::sinks::sink> sink) {
  spdlog::drop(kName);
  spdlog::set_default_logger(std::make_shared<spdlog::logger>(kName, std::move(sink)));
}

}  // namespace

void write(Level level, std::string_view format, std::initializer_list<Argument> arguments) {
  if (!spdlog::should_log(level_of(level))) return;
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const Argument& argument : arguments)
    std::visit([&](const auto& value) { store.push_back(value); }, argument.value());
  try {
    spdlog::log(level_of(level), fmt::string_view("{}"), fmt::vformat(format, store));
  } catch (const fmt::format_error&) {
    spdlog::log(level_of(level), fmt::string_view("{}"), format);
  }
}

void set_level(std::string_view name) {
  spdlog::set_level(spdlog::level::from_str(std::string(name)));
}

void to_stderr() {
  log_to(std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  spdlog::set_level(spdlog::level::warn);
}

void to_stderr_of_server(Lines lines, std::optional<SharedLog> file) {
  if (file && file->is_at(STDERR_FILENO))
    log_to(std::make_shared<SharedLogSink>(*std::move(file)));
  else
    log_to(std::make_shared<spdlog::sinks::stderr_sink_mt>());
  spdlog::set_pattern(lines == Lines::kOfOneProcess ? kTimePattern : kDatePattern);
}

}  // namespace redraft::logging
