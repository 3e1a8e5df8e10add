#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/wire/json.h"
#include "lsp/wire/protocol.h"
#include "lsp/wire/tracer.h"

namespace redraft::lsp {

// What we say to the client: responses, notifications and requests of our own. Main thread.
class Connection {
 public:
  struct Link {
    std::function<void(std::string content)> send;
    // True while the client reads slower than we write: what can be left out should be.
    std::function<bool()> congested;
  };
  explicit Connection(Link link);

  void notify(std::string_view method, Json params);
  // `on_result` gets the result, or null when the client answered with an error; never when it does
  // not answer.
  void request(std::string_view method, Json params,
               std::function<void(const Json* result)> on_result);
  void respond(const Json& id, Json result);
  void respond_error(const Json& id, ErrorCode code, std::string_view message);
  void show_message(MessageType type, std::string_view message);

  // A message of the client that answers one of our requests.
  void receive_response(const Json& message);
  bool congested() const { return link_.congested(); }
  // Tells what goes over this connection; the sender's side is seen here already.
  Tracer& tracer() { return tracer_; }

 private:
  void send(Json message);

  Link link_;
  Tracer tracer_;
  std::int64_t next_request_ = 0;
  std::map<std::int64_t, std::function<void(const Json*)>> waiting_;
};

// The right to answer one request, exactly once; the first answer counts. Copies share it. When the
// last copy goes without an answer, the client gets InternalError.
class Reply {
 public:
  // `on_answered` runs just before the answer is sent.
  Reply(std::shared_ptr<Connection> connection, Json id, std::function<void()> on_answered);

  void operator()(Json result) const;
  void fail(ErrorCode code, std::string_view message) const;
  // Runs when the client cancels the request, which is then answered already.
  void on_cancel(std::function<void()> stop) const;
  // Cancels the request, without holding a share in it.
  std::function<void()> canceller() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace redraft::lsp
