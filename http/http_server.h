#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "http/connection.h"

namespace redraft::http {

// The connections of an HTTP server, all on one EngineHost. Lives on the thread that runs `io`,
// which must have stopped when this is destroyed.
class HttpServer {
 public:
  HttpServer(boost::asio::io_context& io, EngineHost& engine, lsp::SideThread& side,
             HttpOptions options);
  ~HttpServer();  // closes all connections
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Serves the client at the other end of a TCP connection. If too many have not shown the token,
  // it closes the oldest of them.
  void add(FileHandle connection);

  // For tests.
  const Metrics& metrics() const { return metrics_; }
  Metrics::Now now() const;

 private:
  int admitted() const;
  void make_room_for_unadmitted();

  HttpOptions options_;
  Metrics metrics_;
  Connection::Shared shared_;
  std::map<std::int64_t, std::shared_ptr<Connection>> connections_;  // oldest first
  std::int64_t last_id_ = 0;
};

}  // namespace redraft::http
