#include "mcp/session.h"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

#include "support/log/log.h"

namespace redraft::mcp {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kRootsLimit = 10s;  // for a client to name its roots
constexpr std::size_t kMaxCalls = 100;
constexpr std::size_t kMaxCallBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxSubscriptions = 100;
constexpr int kListFreshMilliseconds = 3'600'000;  // the list of tools never changes

constexpr const char* kRootsKey = "roots";

std::chrono::milliseconds left_until(Clock::time_point deadline) {
  return std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()), 0ms);
}

Json versions() {
  Json list = Json::array();
  for (const std::string_view version : kVersions) list.push_back(version);
  return list;
}

Json tools_capability() { return {{"tools", Json::object()}}; }

}  // namespace

class Session::RunningCall : public Call {
 public:
  RunningCall(Session& session, Waiting& call) : session_(session), call_(call) {}

  const Json& arguments() const override { return call_.arguments; }

  Result<std::shared_ptr<const RootFolders>> roots() override { return session_.roots_of(call_); }

  bool is_cancelled() override {
    session_.read(-1, 0ms, nullptr);
    return is_over();
  }

  bool await(int descriptor, std::chrono::milliseconds limit) override {
    const auto deadline = Clock::now() + limit;
    bool is_ready = false;
    while (!is_ready && !is_over() && Clock::now() < deadline)
      session_.read(descriptor, left_until(deadline), &is_ready);
    return is_ready && !is_over();
  }

  void report(double done, double total, std::string_view message) override {
    if (call_.progress_token.is_null() || done <= call_.progress || is_over()) return;
    call_.progress = done;
    session_.client_.send(
        notification_message("notifications/progress", {{"progressToken", call_.progress_token},
                                                        {"progress", done},
                                                        {"total", total},
                                                        {"message", message}}));
  }

 private:
  bool is_over() const {
    return call_.is_cancelled || session_.client_.is_gone() ||
           (call_.tool->is_long && session_.client_.at_end());
  }

  Session& session_;
  Waiting& call_;
};

Session::Session(int in_fd, int out_fd, const SessionOptions& options, std::vector<Tool> tools)
    : client_(in_fd, out_fd), options_(options), tools_(std::move(tools)), roots_(options.roots) {}

void Session::run() {
  while (!client_.is_gone()) {
    read(-1, 0ms, nullptr);
    if (!calls_.empty()) {
      run_next();
    } else if (client_.at_end()) {
      return;
    } else {
      read(-1, -1ms, nullptr);
    }
  }
}

void Session::read(int other, std::chrono::milliseconds limit, bool* is_ready) {
  const bool ready = client_.pump(other, limit);
  if (is_ready != nullptr) *is_ready = ready;
  while (const std::optional<Client::Received> received = client_.next()) take(*received);
}

void Session::take(const Client::Received& received) {
  if (!received.message)
    return refuse(nullptr, ErrorCode::kParseError, received.message.error().message());
  const Json& message = *received.message;
  // A batch of the revision 2025-03-26. Its requests are answered one by one.
  if (message.is_array() && !message.empty()) {
    for (const Json& each : message) take_message(each, received.bytes / message.size());
  } else {
    take_message(message, received.bytes);
  }
}

void Session::take_message(const Json& message, std::size_t bytes) {
  if (!message.is_object())
    return refuse(nullptr, ErrorCode::kInvalidRequest, "the message is no JSON-RPC object");
  const std::optional<std::string> method = text_member(message, "method");
  if (!method) {
    if (message.contains("result") || message.contains("error")) return roots_.receive(message);
    const Json& id = member(message, "id");
    return refuse(is_request_id(id) ? id : Json(), ErrorCode::kInvalidRequest,
                  "the message has no method");
  }
  if (message.contains("id")) return take_request(message, *method, bytes);
  take_notification(*method, member(message, "params"));
}

std::optional<bool> Session::era_of(const Json& id, const std::string& method, const Json& params) {
  const Json& meta = member(params, "_meta");
  const std::optional<std::string> version = text_member(meta, kMetaVersion);
  if (!version) {
    if (has_handshake_ && method != "server/discover") return false;
    refuse(id, ErrorCode::kInvalidParams,
           "send `initialize` first, or `_meta` with " + std::string(kMetaVersion) + " and " +
               kMetaCapabilities);
    return std::nullopt;
  }
  if (*version != kModernVersion) {
    refuse(id, ErrorCode::kUnsupportedVersion, "Unsupported protocol version",
           {{"supported", versions()}, {"requested", *version}});
    return std::nullopt;
  }
  if (!member(meta, kMetaCapabilities).is_object()) {
    refuse(id, ErrorCode::kInvalidParams,
           "`_meta` lacks " + std::string(kMetaCapabilities) + ", an object");
    return std::nullopt;
  }
  return true;
}

void Session::take_request(const Json& message, const std::string& method, std::size_t bytes) {
  const Json& id = message["id"];
  if (!is_request_id(id))
    return refuse(nullptr, ErrorCode::kInvalidRequest, "an id must be a text or a whole number");
  const Json& params = member(message, "params");
  if (method == "initialize") return initialize(id, params);
  if (method == "ping") return answer(id, false, Json::object());
  const bool is_known = method == "server/discover" || method == "tools/list" ||
                        method == "tools/call" || method == "subscriptions/listen";
  if (!is_known) return refuse(id, ErrorCode::kMethodNotFound, "unknown method: " + method);
  const std::optional<bool> is_modern = era_of(id, method, params);
  if (!is_modern) return;
  if (method == "server/discover") return discover(id);
  if (method == "tools/list") return list_tools(id, *is_modern);
  if (method == "subscriptions/listen") return listen(id);
  add_call(id, params, *is_modern, bytes);
}

void Session::take_notification(const std::string& method, const Json& params) {
  if (method == "notifications/cancelled") return cancel(member(params, "requestId"));
  if (method == "notifications/initialized") return ask_for_roots();
  if (method == "notifications/roots/list_changed") {
    roots_.forget();
    ask_for_roots();
  }
}

void Session::initialize(const Json& id, const Json& params) {
  const std::string wanted = text_member(params, "protocolVersion").value_or("");
  const bool is_offered = is_known_version(wanted) && wanted != kModernVersion;
  has_handshake_ = true;
  names_roots_ = member(member(params, "capabilities"), "roots").is_object();
  answer(id, false,
         {{"protocolVersion", is_offered ? wanted : std::string(kHandshakeVersion)},
          {"capabilities", tools_capability()},
          {"serverInfo", server_info()},
          {"instructions", options_.instructions}});
}

void Session::discover(const Json& id) {
  answer(id, true,
         {{"supportedVersions", versions()},
          {"capabilities", tools_capability()},
          {"instructions", options_.instructions},
          {"ttlMs", kListFreshMilliseconds},
          {"cacheScope", "public"}});
}

void Session::list_tools(const Json& id, bool is_modern) {
  Json list = Json::array();
  for (const Tool& tool : tools_) list.push_back(described(tool));
  Json result = {{"tools", std::move(list)}};
  if (is_modern) {
    result["ttlMs"] = kListFreshMilliseconds;
    result["cacheScope"] = "public";
  }
  answer(id, is_modern, std::move(result));
}

// Nothing that a client could subscribe to ever changes.
void Session::listen(const Json& id) {
  if (subscriptions_.size() >= kMaxSubscriptions)
    return refuse(id, ErrorCode::kInvalidRequest, "too many subscriptions");
  subscriptions_.insert(id);
  client_.send(notification_message(
      "notifications/subscriptions/acknowledged",
      {{"_meta", {{kMetaSubscription, id}}}, {"notifications", Json::object()}}));
}

void Session::add_call(const Json& id, const Json& params, bool is_modern, std::size_t bytes) {
  const std::optional<std::string> name = text_member(params, "name");
  const auto tool = std::ranges::find(tools_, name.value_or(""), &Tool::name);
  if (tool == tools_.end()) {
    return refuse(id, ErrorCode::kInvalidParams,
                  name ? "Unknown tool: " + *name : "`name` must be the name of a tool");
  }
  Waiting call{.id = id, .tool = &*tool, .bytes = bytes, .is_modern = is_modern};
  call.arguments = member(params, "arguments");
  if (call.arguments.is_null()) call.arguments = Json::object();
  if (!call.arguments.is_object())
    return refuse(id, ErrorCode::kInvalidParams, "`arguments` must be an object");
  const auto is_same = [&](const Waiting& other) { return other.id == id; };
  if (std::ranges::any_of(calls_, is_same) || (running_ != nullptr && running_->id == id))
    return refuse(id, ErrorCode::kInvalidRequest, "the id of a request that is not answered yet");
  if (calls_.size() >= kMaxCalls || call_bytes_ + bytes > kMaxCallBytes)
    return refuse(id, ErrorCode::kInternalError, "too many calls wait for an answer");
  const Json& meta = member(params, "_meta");
  const Json& token = member(meta, "progressToken");
  if (is_request_id(token)) call.progress_token = token;
  if (is_modern) {
    call.names_roots = member(member(meta, kMetaCapabilities), "roots").is_object();
    call.roots = member(member(params, "inputResponses"), kRootsKey);
  }
  call_bytes_ += bytes;
  calls_.push_back(std::move(call));
}

void Session::cancel(const Json& id) {
  if (running_ != nullptr && running_->id == id) running_->is_cancelled = true;
  for (const Waiting& call : calls_) {
    if (call.id == id) call_bytes_ -= call.bytes;
  }
  std::erase_if(calls_, [&](const Waiting& call) { return call.id == id; });
  subscriptions_.erase(id);
}

void Session::run_next() {
  Waiting call = std::move(calls_.front());
  calls_.pop_front();
  call_bytes_ -= call.bytes;
  if (call.is_modern && call.names_roots && roots_.asks() && call.roots.is_null()) {
    return client_.send(
        result_message(call.id, {{"resultType", "input_required"},
                                 {"inputRequests", {{kRootsKey, {{"method", "roots/list"}}}}}}));
  }
  running_ = &call;
  ToolAnswer made;
  try {
    RunningCall running(*this, call);
    made = call.tool->run(running);
  } catch (const std::exception& failure) {
    logging::error("{} failed: {}", call.tool->name, failure.what());
    running_ = nullptr;
    if (!call.is_cancelled) refuse(call.id, ErrorCode::kInternalError, failure.what());
    return;
  }
  running_ = nullptr;
  if (call.is_cancelled) return;
  answer(call.id, call.is_modern,
         {{"content", Json::array({{{"type", "text"}, {"text", std::move(made.text)}}})},
          {"structuredContent", std::move(made.structured)},
          {"isError", made.is_error}});
}

void Session::ask_for_roots() {
  if (names_roots_ && roots_.asks())
    client_.send(request_message(roots_.ask(), "roots/list", nullptr));
}

Result<Roots::Folders> Session::roots_of(Waiting& call) {
  if (!roots_.asks()) return roots_.unnamed();
  if (call.is_modern) return call.names_roots ? roots_.named(call.roots) : roots_.unnamed();
  if (!names_roots_) return roots_.unnamed();
  read(-1, 0ms, nullptr);  // has it changed them?
  if (!roots_.is_known() && !roots_.is_asked()) ask_for_roots();
  const auto deadline = Clock::now() + kRootsLimit;
  while (!roots_.is_known()) {
    if (call.is_cancelled) return Error("the call was cancelled");
    if (client_.at_end() || client_.is_gone() || Clock::now() >= deadline)
      return Error("the client does not answer the request for its roots");
    read(-1, left_until(deadline), nullptr);
  }
  return roots_.latest();
}

void Session::answer(const Json& id, bool is_modern, Json result) {
  if (is_modern) {
    result["resultType"] = "complete";
    result["_meta"][kMetaServer] = server_info();
  }
  client_.send(result_message(id, std::move(result)));
}

void Session::refuse(const Json& id, ErrorCode code, std::string_view why, Json data) {
  client_.send(error_message(id, code, why, std::move(data)));
}

Json Session::server_info() const {
  return {{"name", "redraft"}, {"title", "redraft"}, {"version", options_.version}};
}

}  // namespace redraft::mcp
