#include "lsp/run_server.h"

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include "lsp/server.h"
#include "lsp/transport.h"

namespace redraft::lsp {
namespace {

constexpr auto kFlushLimit = std::chrono::milliseconds(200);
constexpr auto kProcessInterval = std::chrono::milliseconds(200);

// The client's process. Usually our parent: then we see its death at once, otherwise only when
// somebody has reaped it.
class ClientProcess {
 public:
  explicit ClientProcess(pid_t id) : id_(id), is_parent_(::getppid() == id) {}
  bool is_alive() const {
    if (is_parent_) return ::getppid() == id_;
    return ::kill(id_, 0) == 0 || errno != ESRCH;
  }

 private:
  pid_t id_;
  bool is_parent_;
};

// Transport and server joined, and the reasons to end.
class Session {
 public:
  Session(EngineHost::Factory make_engine, Server::IndexFactories index, int in_fd, int out_fd)
      : transport_(io_, in_fd, out_fd,
                   {.on_message = [this](const std::string& content) { receive(content); },
                    .on_malformed = [this](const Error& error) { end_malformed(error); },
                    .on_gone = [this] { end_gone(); }}),
        process_timer_(io_),
        post_([this](std::function<void()> f) { boost::asio::post(io_, std::move(f)); }),
        server_(
            std::make_shared<EngineHost>(std::move(make_engine), post_), post_,
            {.send = [this](const std::string& content) { transport_.send(content); },
             .congested = [this] { return transport_.congested(); }},
            [this](int code) { end(code); }, std::move(index)) {}

  int run() {
    transport_.start();
    io_.run();
    return exit_code_;
  }

 private:
  void receive(const std::string& content) {
    const bool knew_process = server_.client_process().has_value();
    server_.receive(content);
    if (!knew_process && server_.client_process()) watch(*server_.client_process());
  }

  // Some clients die without closing our input, because another child of theirs holds it open. A
  // process that cannot be seen from here (another machine or container) is not watched.
  void watch(std::int64_t id) {
    if (id <= 0 || id > INT32_MAX) return;
    const ClientProcess process(static_cast<pid_t>(id));
    if (process.is_alive()) wait_for_end_of(process);
  }

  void wait_for_end_of(ClientProcess process) {
    process_timer_.expires_after(kProcessInterval);
    process_timer_.async_wait([this, process](const boost::system::error_code& error) {
      if (error) return;
      if (process.is_alive()) {
        wait_for_end_of(process);
      } else {
        spdlog::info("the client's process is gone");
        end_gone();
      }
    });
  }

  void end_malformed(const Error& error) {
    spdlog::error("{}", error.message());
    server_.report_malformed(error);
    end(1);
  }

  void end_gone() { end(server_.shut_down() ? 0 : 1); }

  void end(int code) {
    if (std::exchange(ending_, true)) return;
    exit_code_ = code;
    server_.stop();
    transport_.finish(kFlushLimit, [this] { io_.stop(); });
  }

  boost::asio::io_context io_{1};
  Transport transport_;
  boost::asio::steady_timer process_timer_;
  Post post_;
  Server server_;
  bool ending_ = false;
  int exit_code_ = 1;
};

// Ends the process if its own scope does not end in time.
class ExitWatch {
 public:
  ExitWatch(std::chrono::milliseconds limit, int code)
      : thread_([this, limit, code](std::stop_token stop) {
          std::unique_lock lock(mutex_);
          over_.wait_for(lock, stop, limit, [] { return false; });
          if (!stop.stop_requested()) ::_exit(code);
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any over_;
  std::jthread thread_;
};

void start_log(const std::string& level) {
  spdlog::drop("redraft");
  spdlog::set_default_logger(spdlog::stderr_logger_mt("redraft"));
  spdlog::set_level(spdlog::level::from_str(level));
  spdlog::set_pattern("%H:%M:%S.%e %l %v");
}

}  // namespace

int run_server(ServerOptions options, int in_fd, int out_fd) {
  ::signal(SIGPIPE, SIG_IGN);
  start_log(options.log_level);
  try {
    auto session = std::make_unique<Session>(std::move(options.make_engine),
                                             std::move(options.index), in_fd, out_fd);
    const int code = session->run();
    std::optional<ExitWatch> watch;
    if (options.exit_limit) watch.emplace(*options.exit_limit, code);
    session.reset();
    return code;
  } catch (const std::exception& failure) {
    spdlog::critical("{}", failure.what());
    return 1;
  }
}

}  // namespace redraft::lsp
