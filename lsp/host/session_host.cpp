#include "lsp/host/session_host.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <iostream>
#include <utility>

#include "lsp/wire/version.h"
#include "support/log/log.h"
#include "support/named_thread.h"

namespace redraft::lsp {
namespace {

// Each client takes several descriptors, of which a process has 1024 by default.
constexpr std::size_t kMaxClients = 100;
// Besides: anybody on this machine may connect to a port, and say nothing.
constexpr std::ptrdiff_t kMaxUnadmitted = 16;
constexpr auto kFirstClientLimit = std::chrono::seconds(10);

ClientSession::Shared share(boost::asio::io_context& io, EngineHost::Factory make_engine,
                            Server::IndexFactories index, std::filesystem::path usage_file,
                            Now now) {
  const Post post = [&io](std::function<void()> f) { boost::asio::post(io, std::move(f)); };
  return {.io = io,
          .post = post,
          .side = std::make_shared<SideThread>(),
          .engine = std::make_shared<EngineHost>(std::move(make_engine), post),
          .index = std::move(index),
          .usage_file = std::move(usage_file),
          .now = std::move(now),
          .recorder = nullptr,
          .notice = {}};
}

}  // namespace

SessionHost::SessionHost(EngineHost::Factory make_engine, Server::IndexFactories index,
                         std::filesystem::path usage_file, Now now)
    : signals_(io_),
      idle_timer_(io_),
      shared_(share(io_, std::move(make_engine), std::move(index), std::move(usage_file),
                    std::move(now))) {}

bool SessionHost::has_room() const {
  const auto admitted =
      std::ranges::count_if(sessions_, [](const auto& each) { return each.second->admitted(); });
  const bool room = !ending_ && static_cast<std::size_t>(admitted) < kMaxClients;
  if (!room) logging::warn("a client is turned away: there are {}", admitted);
  return room;
}

// Who has the token shows it as soon as it is connected, so the oldest will hardly do so.
void SessionHost::make_room_for_unadmitted() {
  const auto waits = [](const auto& each) {
    return !each.second->admitted() && !each.second->ending();
  };
  if (std::ranges::count_if(sessions_, waits) < kMaxUnadmitted) return;
  logging::warn("a client that did not show its token makes room for another");
  std::ranges::find_if(sessions_, waits)->second->end(1);  // ordered by when they came
}

bool SessionHost::may_come(const ClientSession::Client& client) {
  if (client.token.empty()) return has_room();
  if (ending_) return false;
  make_room_for_unadmitted();
  return true;
}

std::optional<SessionHost::SessionId> SessionHost::add(ClientSession::Client client,
                                                       std::function<void(int code)> on_end) {
  if (!may_come(client)) return std::nullopt;
  if (!client.token.empty()) client.has_room = [this] { return has_room(); };
  const SessionId id = ++last_id_;
  // The session calls this from one of its own member functions, so it is destroyed later.
  auto session = std::make_unique<ClientSession>(shared_, std::move(client), [this, id](int code) {
    boost::asio::post(io_, [this, id, code] { remove(id, code); });
  });
  idle_timer_.cancel();
  on_end_[id] = std::move(on_end);
  ClientSession& added = *(sessions_[id] = std::move(session));
  logging::debug("client {} has come; there are {}", id, sessions_.size());
  added.start();
  return id;
}

void SessionHost::drop(SessionId id) {
  if (const auto found = sessions_.find(id); found != sessions_.end()) found->second->end_gone();
}

void SessionHost::remove(SessionId id, int code) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  dispose_of(found->second->take_indexes());
  sessions_.erase(found);
  logging::debug("client {} has gone with code {}; there are {}", id, code, sessions_.size());
  const auto on_end = std::move(on_end_.extract(id).mapped());
  if (on_end) on_end(code);
  if (!sessions_.empty()) return;
  if (ending_) io_.stop();
  if (idle_limit_) await_clients(*idle_limit_);
}

// The threads of an index may have to finish a merge before they end.
void SessionHost::dispose_of(std::vector<IndexSlot> indexes) {
  std::erase_if(leaving_, [](const std::future<void>& waits) {
    return waits.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  if (indexes.empty()) return;
  leaving_.push_back(
      run_named("redraft-close", [going = std::move(indexes)]() mutable { going.clear(); }));
}

Result<std::unique_ptr<Recorder>> SessionHost::make_recorder(const RecordingOptions& options,
                                                             Result<GrowingFile> file) {
  if (!file) return file.error();
  return Recorder::begin(std::move(*file),
                         {.version = kServerVersion,
                          .build = options.build,
                          .options = options.arguments,
                          .prompt_size = options.prompt_size},
                         [this](const std::string& problem) {
                           boost::asio::post(
                               io_, [this, problem] { warn("recording has ended: " + problem); });
                         });
}

void SessionHost::record(const RecordingOptions& options, Result<GrowingFile> file) {
  Result<std::unique_ptr<Recorder>> recorder = make_recorder(options, std::move(file));
  if (recorder) {
    shared_.recorder = std::move(*recorder);
    shared_.notice = "redraft: this session is recorded in " + shared_.recorder->path().string() +
                     ", with the text of all files that are open in it";
  } else {
    shared_.notice = "redraft: this session is not recorded: " + recorder.error().message();
  }
  std::cerr << shared_.notice << std::endl;
}

void SessionHost::warn(const std::string& text) {
  std::cerr << "redraft: " << text << std::endl;
  for (const auto& [id, session] : sessions_) session->tell_log("redraft: " + text);
}

void SessionHost::end_when_idle(std::chrono::seconds limit) {
  idle_limit_ = limit;
  await_clients(std::max<std::chrono::seconds>(limit, kFirstClientLimit));
}

void SessionHost::await_clients(std::chrono::seconds limit) {
  idle_timer_.expires_after(limit);
  idle_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || !sessions_.empty()) return;
    logging::info("no client is left");
    end(0);
  });
}

void SessionHost::end_on_signals() {
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.async_wait([this](const boost::system::error_code& error, int number) {
    if (error) return;
    logging::info("signal {}", number);
    end(0);
  });
}

void SessionHost::end(int code) {
  if (std::exchange(ending_, true)) return;
  exit_code_ = code;
  if (sessions_.empty()) io_.stop();
  for (const auto& [id, session] : sessions_) session->end_gone();
}

int SessionHost::run() {
  io_.run();
  return exit_code_;
}

}  // namespace redraft::lsp
