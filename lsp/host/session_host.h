#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lsp/host/client_session.h"

namespace redraft::lsp {

// What is to be kept of a session, see lsp/recording.
struct RecordingOptions {
  std::filesystem::path file = {};          // empty: nothing
  std::string build = {};                   // of this program
  std::vector<std::string> arguments = {};  // that it was started with
};

// Any number of ClientSessions on one EngineHost: one model in memory, one decode thread, and one
// event loop, whose thread all of this belongs to. What ends one client leaves the others alone.
class SessionHost {
 public:
  using SessionId = std::int64_t;

  // `usage_file`: see Server.
  SessionHost(EngineHost::Factory make_engine, Server::IndexFactories index,
              std::filesystem::path usage_file);

  boost::asio::io_context& io() { return io_; }

  // Whether add() would take one more client: it does not when there are too many, or at the end.
  bool has_room() const;
  // `on_end` gets the exit code once the client's descriptors are closed. None: there is no
  // room.
  std::optional<SessionId> add(ClientSession::Client client,
                               std::function<void(int code)> on_end = {});
  // The client is gone.
  void drop(SessionId id);

  // Sessions that come from now on are recorded; there should be one. Where they cannot be, or no
  // longer, standard error and the client's log say so.
  void record(const RecordingOptions& options);

  // run() returns 0 when there was no client for so long. The first one has ten seconds at least.
  void end_when_idle(std::chrono::seconds limit);
  // run() returns 0 at SIGTERM and SIGINT.
  void end_on_signals();
  // Ends all sessions; then run() returns.
  void end(int code);

  int run();

 private:
  void remove(SessionId id, int code);
  void warn(const std::string& text);
  void dispose_of(std::vector<IndexSlot> indexes);
  void await_clients(std::chrono::seconds limit);

  boost::asio::io_context io_{1};
  boost::asio::signal_set signals_;
  boost::asio::steady_timer idle_timer_;
  ClientSession::Shared shared_;
  std::map<SessionId, std::unique_ptr<ClientSession>> sessions_;
  std::map<SessionId, std::function<void(int)>> on_end_;
  SessionId last_id_ = 0;
  std::optional<std::chrono::seconds> idle_limit_;
  bool ending_ = false;
  int exit_code_ = 0;
  std::vector<std::future<void>> leaving_;  // waits for the threads of sessions that have gone
};

}  // namespace redraft::lsp
