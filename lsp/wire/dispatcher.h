#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lsp/wire/connection.h"
#include "lsp/wire/json.h"
#include "lsp/wire/received_message.h"

namespace redraft::lsp {

// Binds method names to handlers with typed parameters, tracks the lifecycle, and answers every
// request that has no handler. Main thread.
class Dispatcher {
 public:
  // Before `initialize`, while requests are served, and after `shutdown`.
  enum class Lifecycle { kUninitialized, kServing, kShutDown };

  explicit Dispatcher(std::shared_ptr<Connection> connection);

  // Registers a request's handler. If it throws, only that request is answered with InternalError.
  template <typename Owner, typename Params>
  void on(std::string method, Owner* owner, void (Owner::*handler)(const Params&, Reply)) {
    requests_[std::move(method)] = [owner, handler](const Json& json, const Reply& reply) {
      with_params<Params>(json, reply,
                          [&](const Params& params) { (owner->*handler)(params, reply); });
    };
  }
  // Registers a notification's handler.
  template <typename Owner, typename Params>
  void on(std::string method, Owner* owner, void (Owner::*handler)(const Params&)) {
    notifications_[std::move(method)] = [owner, handler](const Json& json) {
      (owner->*handler)(json.get<Params>());
    };
  }
  // Registers the handler of a notification whose params may be long: it reads them itself.
  template <typename Owner>
  void on(std::string method, Owner* owner, void (Owner::*handler)(Json)) {
    notifications_[std::move(method)] = [owner, handler](Json&& json) {
      (owner->*handler)(std::move(json));
    };
  }

  // Reads params, or answers InvalidParams.
  template <typename Params, typename Use>
  static void with_params(const Json& json, const Reply& reply, const Use& use) {
    Params params;
    try {
      json.get_to(params);
    } catch (const std::exception& failure) {
      reply.fail(ErrorCode::kInvalidParams, reason(failure));
      return;
    }
    use(params);
  }

  // Handles one message of the client.
  void receive(std::string_view content) { receive(read_message(content)); }
  // Handles a message that has been read. Ignores an UnreadMessage.
  void receive(ReceivedMessage message);
  // Answers every pending request with RequestCancelled.
  void cancel_all();

  Lifecycle lifecycle() const { return lifecycle_; }
  void set_lifecycle(Lifecycle lifecycle) { lifecycle_ = lifecycle; }

 private:
  void receive_object(Json& message);
  // Logs the receiver's exceptions, because a response is not answered.
  void receive_response(const Json& message);
  void receive_request(const std::string& method, const Json& id, const Json& params);
  void receive_notification(const std::string& method, Json params);
  // Returns true if the lifecycle does not allow the request; it has then been answered.
  bool refused(const std::string& method, const Json& id);
  void cancel_request(const Json& params);

  std::shared_ptr<Connection> connection_;
  Lifecycle lifecycle_ = Lifecycle::kUninitialized;
  std::map<std::string, std::function<void(const Json&, const Reply&)>, std::less<>> requests_;
  std::map<std::string, std::function<void(Json&&)>, std::less<>> notifications_;
  // How to cancel unanswered requests, by id. Shared with replies, which may outlive this object.
  std::shared_ptr<std::map<Json, std::function<void()>>> pending_;
};

}  // namespace redraft::lsp
