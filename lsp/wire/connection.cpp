#include "lsp/wire/connection.h"

#include <exception>
#include <utility>

#include "support/log/log.h"

namespace redraft::lsp {

namespace {

// A client that never answers must not make our memory grow without limit.
constexpr std::size_t kMaxWaiting = 1000;

}  // namespace

// The trace omits its own messages. While the client reads too slowly, it omits everything.
Connection::Connection(Link link)
    : link_(std::move(link)), tracer_([this](Json params) {
        if (link_.congested()) return;
        link_.send(
            to_text({{"jsonrpc", "2.0"}, {"method", "$/logTrace"}, {"params", std::move(params)}}));
      }) {}

void Connection::send(Json message) {
  message["jsonrpc"] = "2.0";
  const std::string text = to_text(message);
  link_.send(text);
  tracer_.sent(message, text.size());
}

void Connection::notify(std::string_view method, Json params) {
  send({{"method", method}, {"params", std::move(params)}});
}

void Connection::request(std::string_view method, Json params,
                         std::function<void(const Json* result)> on_result) {
  const std::int64_t id = next_request_++;
  waiting_.emplace(id, std::move(on_result));
  if (waiting_.size() > kMaxWaiting) waiting_.erase(waiting_.begin());
  send({{"id", id}, {"method", method}, {"params", std::move(params)}});
}

void Connection::respond(const Json& id, Json result) {
  send({{"id", id}, {"result", std::move(result)}});
}

void Connection::respond_error(const Json& id, ErrorCode code, std::string_view message) {
  send({{"id", id}, {"error", {{"code", static_cast<int>(code)}, {"message", message}}}});
}

void Connection::show_message(MessageType type, std::string_view message) {
  notify("window/showMessage", {{"type", static_cast<int>(type)}, {"message", message}});
}

void Connection::aside(SideWork work) {
  if (link_.aside) {
    link_.aside(std::move(work));
  } else {
    work()();
  }
}

void Connection::receive_response(const Json& message) {
  const Json& id = message.at("id");
  const auto found =
      id.is_number_integer() ? waiting_.find(id.get<std::int64_t>()) : waiting_.end();
  if (found == waiting_.end()) {
    logging::warn("the client answered a request that redraft never sent: id {}", to_text(id));
    return;
  }
  const auto on_result = std::move(found->second);
  waiting_.erase(found);
  const auto result = message.find("result");
  on_result(result == message.end() || message.contains("error") ? nullptr : &*result);
}

struct Reply::State {
  State(std::shared_ptr<Connection> to, Json request_id, std::function<void()> answered_callback)
      : connection(std::move(to)),
        id(std::move(request_id)),
        on_answered(std::move(answered_callback)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    try {
      answer_error(ErrorCode::kInternalError, "the server dropped the request without an answer");
    } catch (const std::exception& failure) {
      logging::critical("cannot answer a request: {}", failure.what());
    }
  }

  // Returns false if the request has been answered already. If `send` throws (out of memory),
  // nothing was sent, so another answer is still possible.
  bool answer(const std::function<void()>& send) {
    if (answered) return false;
    answered = true;
    try {
      on_answered();
      send();
    } catch (...) {
      answered = false;
      throw;
    }
    return true;
  }
  bool answer_error(ErrorCode code, std::string_view message) {
    return answer([&] { connection->respond_error(id, code, message); });
  }

  std::shared_ptr<Connection> connection;
  Json id;
  std::function<void()> on_answered;
  std::function<void()> stop;
  bool answered = false;
};

Reply::Reply(std::shared_ptr<Connection> connection, Json id, std::function<void()> on_answered)
    : state_(
          std::make_shared<State>(std::move(connection), std::move(id), std::move(on_answered))) {}

void Reply::operator()(Json result) const {
  state_->answer([&] { state_->connection->respond(state_->id, std::move(result)); });
}

void Reply::fail(ErrorCode code, std::string_view message) const {
  state_->answer_error(code, message);
}

void Reply::on_cancel(std::function<void()> stop) const { state_->stop = std::move(stop); }

std::function<void()> Reply::canceller() const {
  return [weak = std::weak_ptr<State>(state_)] {
    const std::shared_ptr<State> state = weak.lock();
    if (!state || !state->answer_error(ErrorCode::kRequestCancelled, "cancelled")) return;
    if (const std::function<void()> stop = std::exchange(state->stop, nullptr)) stop();
  };
}

}  // namespace redraft::lsp
