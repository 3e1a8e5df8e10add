// The session of one client: which messages are answered at once, and which wait.
//
// Everything is answered as it is read, but calls of tools run one after the other, in their order.
// While a tool waits, for another process or for the client's roots, the session reads on: so a
// call can be cancelled, and the roots can change, in the middle of it. There is no thread, so
// nothing here is locked.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/client.h"
#include "mcp/roots.h"
#include "mcp/tool.h"

namespace redraft::mcp {

struct SessionOptions {
  std::string version;       // of redraft
  std::string instructions;  // what the tools are for, for a model
  RootChoice roots;
};

class Session {
 public:
  Session(int in_fd, int out_fd, const SessionOptions& options, std::vector<Tool> tools);

  // Serves the client until it sends nothing more and its calls are answered, or until it is gone.
  void run();

 private:
  // A `tools/call` that waits or runs.
  struct Waiting {
    Json id;
    const Tool* tool = nullptr;
    Json arguments = {};
    std::size_t bytes = 0;  // of its message
    bool is_modern = false;
    bool names_roots = false;  // a modern client that can name its roots
    Json roots = {};           // its answer to `roots/list`; null: none yet
    Json progress_token = {};  // null: none
    double progress = -1;      // that was reported last
    bool is_cancelled = false;
  };
  class RunningCall;

  void read(int other, std::chrono::milliseconds limit, bool* is_ready);
  void take(const Client::Received& received);
  void take_message(const Json& message, std::size_t bytes);
  void take_request(const Json& message, const std::string& method, std::size_t bytes);
  void take_notification(const std::string& method, const Json& params);
  // Whether the request is one of a modern client. It is answered here if it is none of any.
  std::optional<bool> era_of(const Json& id, const std::string& method, const Json& params);
  void initialize(const Json& id, const Json& params);
  void discover(const Json& id);
  void list_tools(const Json& id, bool is_modern);
  void listen(const Json& id);
  void add_call(const Json& id, const Json& params, bool is_modern, std::size_t bytes);
  void cancel(const Json& id);
  void run_next();
  void ask_for_roots();
  Result<Roots::Folders> roots_of(Waiting& call);

  void answer(const Json& id, bool is_modern, Json result);
  void refuse(const Json& id, ErrorCode code, std::string_view why, Json data = nullptr);
  Json server_info() const;

  Client client_;
  SessionOptions options_;
  std::vector<Tool> tools_;
  Roots roots_;
  bool has_handshake_ = false;
  bool names_roots_ = false;  // a client with a handshake that can name its roots
  std::deque<Waiting> calls_;
  std::size_t call_bytes_ = 0;
  Waiting* running_ = nullptr;
  std::set<Json> subscriptions_;
};

}  // namespace redraft::mcp
