#include "lsp/host/host_loop.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "lsp/host/attach.h"
#include "lsp/wire/version.h"
#include "support/confine/confinement.h"
#include "support/files/private_folder.h"
#include "support/files/user_folders.h"
#include "support/log/log.h"
#include "support/named_thread.h"
#include "support/system/crash_notes.h"
#include "support/system/crash_report.h"
#include "support/trace/trace.h"

namespace redraft::lsp {
namespace {

// Ends the process if its own scope does not end in time.
class ExitWatch {
 public:
  ExitWatch(std::chrono::milliseconds limit, int code)
      : thread_(start_thread("redraft-exit", [this, limit, code](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          over_.wait_for(lock, stop, limit, [] { return false; });
          if (stop.stop_requested()) return;
          (void)end_trace();
          ::_exit(code);
        })) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;
};

void start_log(const std::string& level, logging::Lines lines) {
  std::optional<SharedLog> file;
  if (const auto path = shared_log_file()) file.emplace(*path);
  logging::to_stderr_of_server(lines, std::move(file));
  logging::set_level(level);
}

void keep_notes(const ServerOptions& options) {
  if (options.crash_notes.empty()) return;
  if (const Result<void> kept = keep_crash_notes(options.crash_notes, options.build); !kept)
    logging::warn("a crash will not be noted: {}", kept.error().message());
  const std::string build = std::string("redraft ") + kServerVersion + ", " + options.build;
  const Result<void> kept =
      keep_crash_reports(options.crash_notes.parent_path() / kCrashReports, build);
  if (!kept) logging::warn("a crash will not be reported: {}", kept.error().message());
}

// redraft's own folders, where indexes, keys and values, costs, counts and notes are written.
std::vector<std::filesystem::path> own_folders(const ServerOptions& options) {
  std::vector<std::filesystem::path> folders;
  for (const auto& base : {user_cache_folder(), user_state_folder()}) {
    if (base && make_folders(*base / "redraft")) folders.push_back(*base / "redraft");
  }
  for (const auto& file : {options.usage_file, options.crash_notes}) {
    if (file.empty()) continue;
    const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
    if (make_folders(folder)) folders.push_back(folder);
  }
  return folders;
}

void confine_process(const ServerOptions& options) {
  if (!options.confinement) return logging::info("this process is not confined");
  ConfinementOptions allowed = *options.confinement;
  std::ranges::copy(own_folders(options), std::back_inserter(allowed.writable));
  const Confinement confined = confine(allowed);
  logging::write(confined.complete() ? logging::Level::kInfo : logging::Level::kWarning,
                 "confined: this process {}", {confined.description()});
}

}  // namespace

int run_session_host(ServerOptions options, logging::Lines log,
                     const std::function<std::shared_ptr<void>(SessionHost&)>& begin) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // makes a write beyond the file size limit an error of write()
  try {
    start_log(options.log_level, log);
    keep_notes(options);
    confine_process(options);
    auto host =
        std::make_unique<SessionHost>(std::move(options.make_engine), std::move(options.index),
                                      std::move(options.usage_file), std::move(options.now));
    std::shared_ptr<void> door = begin(*host);
    const int code = host->run();
    door.reset();
    std::optional<ExitWatch> watch;
    if (options.exit_limit) watch.emplace(*options.exit_limit, code);
    host.reset();
    return code;
  } catch (const std::exception& failure) {
    logging::critical("{}", failure.what());
    return 1;
  }
}

}  // namespace redraft::lsp
