#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lsp/wire/dispatcher.h"
#include "lsp/wire/json.h"
#include "lsp/wire/protocol.h"

namespace redraft::lsp {

// The place where features register their methods and the capabilities that announce them; see
// Feature. Main thread.
class FeatureRegistry {
 public:
  explicit FeatureRegistry(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  // Registers a method. The Dispatcher must accept the handler's form.
  template <typename Owner, typename Handler>
  void on(std::string method, Owner* owner, Handler handler) {
    dispatcher_.on(method, owner, handler);
    methods_.push_back(std::move(method));
  }
  // Registers a command of `workspace/executeCommand`; that capability lists it automatically.
  template <typename Owner>
  void on_command(std::string name, Owner* owner,
                  void (Owner::*handler)(const ExecuteCommandParams&, const Reply&)) {
    add_command(std::move(name),
                [owner, handler](const ExecuteCommandParams& params, const Reply& reply) {
                  (owner->*handler)(params, reply);
                });
  }
  // Adds a member to the server's capabilities. Objects are merged, so several features can
  // contribute to one capability.
  void announce(const char* capability, const Json& options);

  const Json& capabilities() const { return capabilities_; }
  const std::vector<std::string>& methods() const { return methods_; }

 private:
  using Command = std::function<void(const ExecuteCommandParams& params, const Reply& reply)>;

  void add_command(std::string name, Command command);
  void execute(const ExecuteCommandParams& params, Reply reply);

  Dispatcher& dispatcher_;
  std::vector<std::string> methods_;
  std::vector<std::pair<std::string, Command>> commands_;
  Json capabilities_ = Json::object();
};

}  // namespace redraft::lsp
