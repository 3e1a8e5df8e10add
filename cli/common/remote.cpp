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

// It becomes a line of a request.
Result<std::string> checked(std::string_view key, const std::string& where) {
  const std::string_view bare = trimmed(key, " \t\r\n");
  if (bare.size() > kMaxKey ||
      std::ranges::any_of(bare, [](char c) { return c <= ' ' || c > '~'; }))
    return Error(where + " holds no key: one is a line of printable characters without blanks");
  return std::string(bare);
}

Result<std::string> key_of_file(const std::string& path) {
  const FileHandle file = FileHandle::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (!file && errno == ENOENT) return std::string();
  if (!file) return system_error(path);
  struct stat facts = {};
  if (::fstat(file.get(), &facts) != 0) return system_error(path);
  if (!S_ISREG(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 077) != 0)
    return Error(path +
                 " holds a key, but others may have access to it: `chmod 600` it, or take it "
                 "away");
  std::array<char, kMaxKey + 2> text;
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0) return system_error(path);
  return checked({text.data(), static_cast<std::size_t>(size)}, path);
}

// What people are to know whenever it is used.
std::string what_leaves(const RemoteAddress& address) {
  if (address.is_loopback()) return {};
  return "Text leaves this machine: " + address.shown() + " writes." +
         (is_readable_on_the_way(address) ? " It can be read on the way: the address has no https."
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
  // Said here, where it can be shown; the bridge reads it again.
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
    control.notice("The local model writes, because the server does not: " +
                   engine.error().message());
  return local();
}

}  // namespace redraft::cli
