#include "http/http_server.h"

#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "lsp/host/loopback_socket.h"

namespace redraft::http {
namespace {

constexpr int kMaxAdmitted = 100;
// Besides: anybody on this machine may connect to a port, and say nothing.
constexpr int kMaxUnadmitted = 16;
// What the system holds of an answer that its client does not take; by itself it would hold
// megabytes, and it would be long before that shows.
constexpr int kSendBuffer = 64 << 10;

std::int64_t seconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

HttpServer::HttpServer(boost::asio::io_context& io, EngineHost& engine, lsp::SideThread& side,
                       HttpOptions options)
    : options_(std::move(options)),
      shared_{.io = io,
              .engine = engine,
              .side = side,
              .options = options_,
              .metrics = metrics_,
              .has_room = [this] { return admitted() < kMaxAdmitted; },
              .now = [this] { return now(); },
              .created = seconds_since_1970()} {}

HttpServer::~HttpServer() {
  const auto all = std::exchange(connections_, {});
  for (const auto& [id, connection] : all) connection->end();
}

int HttpServer::admitted() const {
  return static_cast<int>(std::ranges::count_if(
      connections_, [](const auto& each) { return each.second->admitted(); }));
}

Metrics::Now HttpServer::now() const {
  return {.connections = admitted(),
          .unadmitted = static_cast<int>(connections_.size()) - admitted(),
          .ready = shared_.engine.status().state == EngineStatus::State::kReady};
}

// Who has the token shows it as soon as it is connected, so the oldest will hardly do so.
void HttpServer::make_room_for_unadmitted() {
  if (static_cast<int>(connections_.size()) - admitted() < kMaxUnadmitted) return;
  const auto oldest =
      std::ranges::find_if(connections_, [](const auto& each) { return !each.second->admitted(); });
  spdlog::warn("a connection that did not show the token makes room for another");
  metrics_.turn_away();
  const std::shared_ptr<Connection> connection = oldest->second;
  connection->end();
}

void HttpServer::add(FileHandle connection) {
  make_room_for_unadmitted();
  lsp::send_without_delay(connection.get());
  ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDBUF, &kSendBuffer, sizeof kSendBuffer);
  const std::int64_t id = ++last_id_;
  try {
    const auto added = std::make_shared<Connection>(shared_, std::move(connection),
                                                    [this, id] { connections_.erase(id); });
    connections_[id] = added;
    added->start();
  } catch (const std::exception& failure) {
    spdlog::error("http: a client cannot connect: {}", failure.what());
    connections_.erase(id);
  }
}

}  // namespace redraft::http
