#include "http/http_server.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

#include "lsp/host/loopback_socket.h"
#include "support/log/log.h"

namespace redraft::http {
namespace {

constexpr int kMaxAdmitted = 100;
// An additional limit: any program on this machine may connect to a port and send nothing.
constexpr int kMaxUnadmitted = 16;
// How much of an unread answer the system buffers. The system's own limit is megabytes, so it would
// take long to notice that the client does not read.
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

// A client that has the token shows it at once, so the oldest connection will hardly show it any
// more.
void HttpServer::make_room_for_unadmitted() {
  if (static_cast<int>(connections_.size()) - admitted() < kMaxUnadmitted) return;
  const auto oldest =
      std::ranges::find_if(connections_, [](const auto& each) { return !each.second->admitted(); });
  logging::warn("closed a connection without the token to make room for another");
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
    logging::error("http: cannot accept a client: {}", failure.what());
    connections_.erase(id);
  }
}

}  // namespace redraft::http
