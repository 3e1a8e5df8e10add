#include "cli/common/remote.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "remote/bridge_client.h"
#include "remote/remote_address.h"
#include "remote/remote_engine.h"
#include "support/files/file_handle.h"
#include "support/files/user_folders.h"
#include "support/system/processes.h"
#include "support/system_error.h"
#include "text/strings/trimmed.h"

namespace redraft::cli {
namespace {

constexpr const char* kVariable = "REDRAFT_REMOTE_KEY";
constexpr std::size_t kMaxKey = 4096;  // bytes

// The key becomes a line of a request.
Result<std::string> checked(std::string_view key, const std::string& where) {
  const std::string_view bare = trimmed(key, " \t\r\n");
  if (bare.size() > kMaxKey ||
      std::ranges::any_of(bare, [](char c) { return c <= ' ' || c > '~'; }))
    return Error(
        where +
        " does not contain a valid key. A key is a line of printable characters without blanks");
  return std::string(bare);
}

Result<std::string> key_of_file(const std::string& path) {
  const FileHandle file = FileHandle::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (!file && errno == ENOENT) return std::string();
  if (!file) return system_error(path);
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) return system_error(path);
  if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0)
    return Error(
        path +
        " contains a key, but other users may have access to it. Run `chmod 600` on it, or take it "
        "away");
  std::array<char, kMaxKey + 2> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return system_error(path);
  return checked({text.data(), static_cast<std::size_t>(size)}, path);
}

// The warning for users whenever a remote server is used.
std::string what_leaves(const RemoteAddress& address) {
  if (address.is_loopback()) return {};
  return "Text leaves this machine: " + address.shown() + " runs the model." +
         (is_readable_on_the_way(address)
              ? " It is sent unencrypted: the address does not use https."
              : "");
}

}  // namespace

Result<std::string> remote_key() {
  if (const char* key = std::getenv(kVariable)) return checked(key, kVariable);
  const auto folder = user_config_folder();
  if (!folder) return std::string();
  return key_of_file((*folder / "redraft" / "remote-key").string());
}

Result<std::shared_ptr<Exchange>> start_remote(const CommonOptions& options) {
  const Result<RemoteAddress> address = parse_remote_address(options.remote);
  if (!address) return address.error().in("--remote");
  // Checked here, where the error can be shown; the bridge reads the key again.
  if (const Result<std::string> key = remote_key(); !key) return key.error();
  const Result<std::shared_ptr<BridgeClient>> bridge =
      BridgeClient::start({executable().string(), kBridgeCommand, options.remote});
  if (!bridge) return bridge.error();
  return std::shared_ptr<Exchange>(*bridge);
}

Result<std::unique_ptr<Engine>> load_remote_engine(
    const CommonOptions& options, const Result<std::shared_ptr<Exchange>>& remote,
    const LoadControl& control, const std::function<Result<std::unique_ptr<Engine>>()>& local) {
  if (!remote) return remote.error();
  const Result<RemoteAddress> address = parse_remote_address(options.remote);
  if (!address) return address.error().in("--remote");
  Result<std::unique_ptr<Engine>> engine = make_remote_engine(
      {.server = address->shown(), .model = options.remote_model}, *remote, control);
  if (engine) {
    const std::string notice = what_leaves(*address);
    if (!notice.empty() && control.notice) control.notice(notice);
    return engine;
  }
  if (!options.has_target || control.stop.stop_requested()) return engine;
  if (control.notice)
    control.notice("redraft uses the local model, because the server failed: " +
                   engine.error().message());
  return local();
}

}  // namespace redraft::cli
