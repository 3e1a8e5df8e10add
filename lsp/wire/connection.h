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

// To read, copy or check this many bytes takes some milliseconds.
inline constexpr std::size_t kLongBytes = std::size_t{256} << 10;

// What we send to the client: responses, notifications and requests of our own. Main thread.
class Connection {
 public:
  // Work that uses nothing of the main thread, and returns what is to be done there with its
  // result. Both are destroyed where the work was done, because what they hold may be large.
  using SideWork = std::function<std::function<void()>()>;
  struct Link {
    std::function<void(std::string content)> send;
    // True while the client reads more slowly than we write: messages that can be omitted should
    // be.
    std::function<bool()> congested;
    // See aside(). Empty: there are no other clients.
    std::function<void(SideWork work)> aside = {};
  };
  explicit Connection(Link link);

  void notify(std::string_view method, Json params);
  // `on_result` gets the result, or null if the client answered with an error; it is never called
  // if the client does not answer.
  void request(std::string_view method, Json params,
               std::function<void(const Json* result)> on_result);
  void respond(const Json& id, Json result);
  void respond_error(const Json& id, ErrorCode code, std::string_view message);
  void show_message(MessageType type, std::string_view message);

  // A message of the client that answers one of our requests.
  void receive_response(const Json& message);
  bool congested() const { return link_.congested(); }
  // For work that takes long (see kLongBytes) and would keep other clients waiting: it is done on
  // another thread. Until it is complete no further message of this client is taken, so for this
  // client everything comes in the same order. Without other clients it is done at once.
  void aside(SideWork work);
  // Traces the messages of this connection; those sent are traced here already.
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
