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
#include "support/files/growing_file.h"

namespace redraft::lsp {

// What to record of a session; see lsp/recording.
struct RecordingOptions {
  std::filesystem::path file = {};              // empty: nothing
  std::string build = {};                       // of this program
  std::vector<std::string> arguments = {};      // the program's arguments
  PromptSize prompt_size = kDefaultPromptSize;  // that its engines have
};

// Any number of ClientSessions on one EngineHost: one model in memory, one decode thread, and one
// event loop, whose thread owns all of this. The end of one client does not affect the others.
class SessionHost {
 public:
  using SessionId = std::int64_t;

  // For `usage_file` and `now` see Server.
  SessionHost(EngineHost::Factory make_engine, Server::IndexFactories index,
              std::filesystem::path usage_file, Now now = std::chrono::steady_clock::now);

  boost::asio::io_context& io() { return io_; }
  // For clients that speak another protocol; as long as this lives.
  EngineHost& engine() { return *shared_.engine; }
  SideThread& side() { return *shared_.side; }

  // Whether there is room for another client: not at the limit, and not while ending. One that has
  // not named the token that it needs takes none.
  bool has_room() const;
  // `on_end` gets the exit code once the client's descriptors are closed. None if there is no room.
  // For a client that needs a token there always is: the oldest that has not named it goes.
  std::optional<SessionId> add(ClientSession::Client client,
                               std::function<void(int code)> on_end = {});
  // For a client that is gone.
  void drop(SessionId id);

  // Records sessions that start from now on in `file`; there should be one. When recording fails,
  // at once or later, standard error and the client's log say so.
  void record(const RecordingOptions& options, Result<GrowingFile> file);

  // run() returns 0 after this long without a client; at least ten seconds before the first one.
  void end_when_idle(std::chrono::seconds limit);
  // run() returns 0 on SIGTERM and SIGINT.
  void end_on_signals();
  // Ends all sessions; then run() returns.
  void end(int code);

  int run();

 private:
  bool may_come(const ClientSession::Client& client);
  void make_room_for_unadmitted();
  void remove(SessionId id, int code);
  Result<std::unique_ptr<Recorder>> make_recorder(const RecordingOptions& options,
                                                  Result<GrowingFile> file);
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
  std::vector<std::future<void>> leaving_;  // wait for the threads of sessions that are gone
};

}  // namespace redraft::lsp
