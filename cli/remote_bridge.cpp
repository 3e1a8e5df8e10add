// redraft remote-bridge: connects to a remote server for another process (remote/bridge.h).
#include <unistd.h>

#include <memory>
#include <random>
#include <string>

#include "cli/common/command.h"
#include "cli/common/remote.h"
#include "remote/bridge.h"
#include "remote/bridge_client.h"
#include "support/confine/confinement.h"
#include "support/system/descriptors.h"

namespace redraft::cli {
namespace {

// A random number for the lifetime of this process.
std::string new_session() {
  std::random_device random;
  return "redraft-" + std::to_string(random()) + std::to_string(random());
}

int run_remote_bridge(const std::string& server) {
  close_descriptors_from(BridgeClient::kSocket + 1);  // which it may inherit by mistake
  const Result<RemoteAddress> address = parse_remote_address(server);
  if (!address) return misuse(address.error());
  const Result<std::optional<RemoteAddress>> proxy = proxy_of_environment(*address);
  const Result<std::string> key = remote_key();
  if (!key) return fail(key.error());
  if (!proxy) return fail(proxy.error());
  confine({.network = true});
  const Result<void> run =
      run_bridge(BridgeClient::kSocket,
                 {.server = *address, .proxy = *proxy, .key = *key, .session = new_session()});
  return run ? kSuccess : fail(run.error());
}

}  // namespace

void add_remote_bridge(CommandLine app, Command& chosen) {
  const CommandLine command = app.add_subcommand(kBridgeCommand, "").hide();
  const auto server = std::make_shared<std::string>();
  command.add_option("SERVER", *server).required();
  command.callback([&chosen, server] { chosen = [server] { return run_remote_bridge(*server); }; });
}

}  // namespace redraft::cli
