#pragma once

#include <cstddef>
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

// Reading, copying or checking this many bytes takes some milliseconds.
inline constexpr std::size_t kLongBytes = std::size_t{256} << 10;

// Sends responses, notifications and our own requests to the client. Main thread.
class Connection {
 public:
  // Work that uses no state of the main thread. It returns what the main thread has to do with the
  // result. Both functions are destroyed on the thread that did the work, because what they hold
  // may be large.
  using SideWork = std::function<std::function<void()>()>;
  struct Link {
    std::function<void(std::string content)> send;
    // True while the client reads more slowly than we write: the caller should omit optional
    // messages.
    std::function<bool()> congested;
    // See aside(). Empty if there are no other clients.
    std::function<void(SideWork work)> aside = {};
  };
  explicit Connection(Link link);

  void notify(std::string_view method, Json params);
  // `on_result` gets the result, or null if the client answered with an error. It is never called
  // if the client does not answer.
  void request(std::string_view method, Json params,
               std::function<void(const Json* result)> on_result);
  void respond(const Json& id, Json result);
  void respond_error(const Json& id, ErrorCode code, std::string_view message);
  void show_message(MessageType type, std::string_view message);

  // Takes a client's message that answers one of our requests.
  void receive_response(const Json& message);
  bool congested() const { return link_.congested(); }
  // For long work (see kLongBytes) that would keep other clients waiting: another thread does it.
  // The server takes no further message of this client until the work is complete, so the order of
  // messages stays the same for this client. Without other clients the work is done at once.
  void aside(SideWork work);
  // Traces incoming messages of this connection. Outgoing ones are traced already.
  Tracer& tracer() { return tracer_; }

 private:
  void send(Json message);

  Link link_;
  Tracer tracer_;
  std::int64_t next_request_ = 0;
  std::map<std::int64_t, std::function<void(const Json*)>> waiting_;
};

// The right to answer one request exactly once; the first answer counts. Copies share it. If the
// last copy is destroyed without an answer, the client gets InternalError.
class Reply {
 public:
  // `on_answered` runs just before the answer is sent.
  Reply(std::shared_ptr<Connection> connection, Json id, std::function<void()> on_answered);

  void operator()(Json result) const;
  void fail(ErrorCode code, std::string_view message) const;
  // `stop` runs when the client cancels the request, which has been answered by then.
  void on_cancel(std::function<void()> stop) const;
  // Cancels the request, without keeping it alive.
  std::function<void()> canceller() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace redraft::lsp
