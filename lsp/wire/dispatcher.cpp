#include "lsp/wire/dispatcher.h"

#include <exception>
#include <utility>
#include <variant>

#include "support/log/log.h"
#include "support/system/crash_notes.h"

namespace redraft::lsp {
namespace {

// The id of a request whose own id is missing or invalid.
const Json kNoId;

// Unanswered requests take memory, and each stands for work. A client with this many at once is
// faulty.
constexpr std::size_t kMaxPending = 1000;

bool is_id(const Json& id) { return id.is_number_integer() || id.is_string(); }

// Params may be missing. A handler that needs a member reports which one.
Json take_params(Json& message) {
  const auto found = message.find("params");
  return found == message.end() || found->is_null() ? Json::object() : std::move(*found);
}

// The document that a message is about, or a command's first argument.
WorkKey document_of(const Json& params) {
  const auto arguments = params.find("arguments");
  const bool is_command = arguments != params.end() && arguments->is_array() && !arguments->empty();
  const Json& about = is_command ? arguments->front() : params;
  const auto document = about.find("textDocument");
  if (document == about.end()) return 0;
  const auto uri = document->find("uri");
  if (uri == document->end() || !uri->is_string()) return 0;
  return work_key(uri->get_ref<const std::string&>());
}

// The name of an unknown method may contain anything.
Work work_of(const std::string& method, bool known, const Json& params) {
  return {.document = document_of(params), .kind = known ? work_kind(method) : "unknown method"};
}

}  // namespace

Dispatcher::Dispatcher(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)),
      pending_(std::make_shared<std::map<Json, std::function<void()>>>()) {}

void Dispatcher::receive(ReceivedMessage message) {
  if (const auto* error = std::get_if<Error>(&message.content)) {
    logging::warn("a message of {} bytes: {}", message.bytes, error->message());
    connection_->respond_error(kNoId, ErrorCode::kParseError, error->message());
    return;
  }
  Json* json = std::get_if<Json>(&message.content);
  if (json == nullptr) return;
  if (json->is_array()) {
    connection_->respond_error(
        kNoId, ErrorCode::kInvalidRequest,
        "LSP does not support batches of messages. Send each message separately");
  } else if (!json->is_object()) {
    connection_->respond_error(kNoId, ErrorCode::kInvalidRequest,
                               "a message must be one JSON object");
  } else {
    connection_->tracer().received(*json, message.bytes);
    receive_object(*json);
  }
}

void Dispatcher::receive_object(Json& message) {
  const auto method = message.find("method");
  const auto id = message.find("id");
  const bool has_id = id != message.end();
  if (method == message.end() && has_id &&
      (message.contains("result") || message.contains("error"))) {
    receive_response(message);
  } else if (method == message.end() || !method->is_string() || (has_id && !is_id(*id))) {
    const Json& answer_to = has_id && is_id(*id) ? *id : kNoId;
    connection_->respond_error(
        answer_to, ErrorCode::kInvalidRequest,
        "a message needs a method (a string) and, as a request, an id (an integer or a string)");
  } else if (has_id) {
    receive_request(method->get<std::string>(), *id, take_params(message));
  } else {
    receive_notification(method->get<std::string>(), take_params(message));
  }
}

void Dispatcher::receive_response(const Json& message) {
  try {
    connection_->receive_response(message);
  } catch (const std::exception& failure) {
    logging::error("cannot process the client's answer to request {}: {}",
                   to_text(message.at("id")), reason(failure));
  }
}

bool Dispatcher::refused(const std::string& method, const Json& id) {
  if (lifecycle_ == Lifecycle::kUninitialized && method != "initialize") {
    connection_->respond_error(id, ErrorCode::kServerNotInitialized,
                               method + " arrived before initialize");
  } else if (lifecycle_ == Lifecycle::kShutDown) {
    connection_->respond_error(id, ErrorCode::kInvalidRequest, method + " arrived after shutdown");
  } else if (lifecycle_ == Lifecycle::kServing && method == "initialize") {
    connection_->respond_error(id, ErrorCode::kInvalidRequest, "initialize arrived a second time");
  } else if (pending_->count(id) > 0) {
    connection_->respond_error(id, ErrorCode::kInvalidRequest,
                               "a request with this id has not been answered yet");
  } else if (pending_->size() >= kMaxPending && method != "shutdown") {
    connection_->respond_error(
        id, ErrorCode::kRequestFailed,
        std::to_string(kMaxPending) + " requests wait for an answer; the server accepts no more");
  } else {
    return false;
  }
  return true;
}

void Dispatcher::receive_request(const std::string& method, const Json& id, const Json& params) {
  logging::debug("request {} {}", to_text(id), method);
  if (refused(method, id)) return;
  const auto handler = requests_.find(method);
  const AtWork work(work_of(method, handler != requests_.end(), params));
  if (handler == requests_.end()) {
    connection_->respond_error(id, ErrorCode::kMethodNotFound,
                               "this server has no method " + method);
    return;
  }
  const Reply reply(connection_, id, [pending = pending_, id] { pending->erase(id); });
  pending_->emplace(id, reply.canceller());
  try {
    handler->second(params, reply);
  } catch (const std::exception& failure) {
    logging::error("{}: {}", method, reason(failure));
    reply.fail(ErrorCode::kInternalError, failure.what());
  }
}

void Dispatcher::receive_notification(const std::string& method, Json params) {
  logging::debug("notification {}", method);
  if (method != "exit" && lifecycle_ != Lifecycle::kServing) return;
  const auto handler = notifications_.find(method);
  const AtWork work(work_of(method, handler != notifications_.end(), params));
  try {
    if (method == "$/cancelRequest") {
      cancel_request(params);
    } else if (handler != notifications_.end()) {
      handler->second(std::move(params));
    }
  } catch (const std::exception& failure) {
    logging::error("{}: {}", method, reason(failure));
  }
}

void Dispatcher::cancel_request(const Json& params) {
  const auto found = pending_->find(params.at("id"));
  if (found == pending_->end()) return;
  const std::function<void()> cancel = found->second;
  cancel();
}

void Dispatcher::cancel_all() {
  while (!pending_->empty()) {
    const std::function<void()> cancel = pending_->begin()->second;
    pending_->erase(pending_->begin());
    cancel();
  }
}

}  // namespace redraft::lsp
