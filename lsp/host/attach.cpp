// How processes find or start the one shared server.
//
// Why a lock: several editors often start at the same moment, and a model in memory twice would
// defeat the purpose. A process that finds no server takes a lock file, looks again, and only then
// starts one:
//
//   process A    no server   take the lock   still no server: start one   attach, release
//   process B    no server   wait for the lock .........................................   attach
//
// A server that is ending because its last client has left closes the connection without an answer.
// That counts as no server: the client's standard input has not been read, so a new server can take
// over without losing a message.
#include "lsp/host/attach.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <optional>

#include "lsp/host/await_exit.h"
#include "lsp/host/detached_process.h"
#include "lsp/host/hand_over.h"
#include "lsp/host/local_socket.h"
#include "support/files/lock_file.h"
#include "support/files/private_folder.h"
#include "support/files/shared_log.h"
#include "support/files/user_folders.h"
#include "support/system_error.h"

namespace redraft::lsp {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kStartLimit = 10s;  // for a server to start
constexpr auto kAnswerLimit = 5s;  // for a server to take over a client

// Waits until `descriptor` is readable. False: the limit has passed.
bool await_input(int descriptor, std::chrono::milliseconds limit) {
  const auto deadline = Clock::now() + limit;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd waits{descriptor, POLLIN, 0};
    const int ready = ::poll(&waits, 1, static_cast<int>(std::max(left, 0ms).count()));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

std::optional<char> read_byte(int descriptor) {
  char byte = 0;
  ssize_t count = 0;
  while ((count = ::read(descriptor, &byte, 1)) < 0 && errno == EINTR) {
  }
  return count == 1 ? std::optional(byte) : std::nullopt;
}

// The connection to a server that has taken over this process's client.
Result<FileHandle> attach_at(const fs::path& socket, int in_fd, int out_fd) {
  Result<FileHandle> connection = connect_to(socket);
  if (!connection) return connection;
  if (!hand_over(connection->get(), in_fd, out_fd) ||
      !await_input(connection->get(), kAnswerLimit) || read_byte(connection->get()) != kTaken)
    return Error(socket.string() + ": the server does not take clients over");
  return connection;
}

Result<SharedLog> make_log() {
  const std::optional<fs::path> file = shared_log_file();
  if (!file) return Error("there is no folder for a log: HOME is not set");
  if (const Result<void> made = make_private_folder(file->parent_path()); !made)
    return made.error();
  return SharedLog(*file);
}

// Returns once the server listens.
Result<void> start_server(std::vector<std::string> command, const fs::path& socket) {
  const Result<SharedLog> kept = make_log();
  if (!kept) return kept.error();
  const Result<FileHandle> log = kept->open();
  if (!log) return log.error();
  command.push_back(socket.string());
  const Result<FileHandle> said = start_detached(command, log->get());
  if (!said) return said.error();
  if (!await_input(said->get(), kStartLimit) || !read_byte(said->get()))
    return Error("the shared server does not start; its log is " + kept->file().string());
  return {};
}

Result<FileHandle> attach_or_start(const AttachOptions& options, const fs::path& socket, int in_fd,
                                   int out_fd) {
  if (Result<FileHandle> connection = attach_at(socket, in_fd, out_fd)) return connection;
  const Result<std::optional<LockFile>> lock =
      LockFile::take(socket.string() + ".start", kStartLimit + kAnswerLimit);
  if (!lock) return lock.error();
  if (!*lock) return Error(socket.string() + ": a server is being started for too long");
  if (Result<FileHandle> connection = attach_at(socket, in_fd, out_fd)) return connection;
  if (const Result<void> started = start_server(options.command, socket); !started)
    return started.error();
  return attach_at(socket, in_fd, out_fd);
}

// Replaces this process by the program that only waits. Returns if there is no such program.
void become(const std::string& waiter, int connection) {
  ::fcntl(connection, F_SETFD, 0);
  const std::string number = std::to_string(connection);
  ::execl(waiter.c_str(), waiter.c_str(), number.c_str(), nullptr);
}

// `attach_end` hands one end of a socket over to a server.
template <typename AttachEnd>
Result<JoinedServer> join(const AttachEnd& attach_end) {
  std::array<int, 2> ends;
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return system_error("no socket");
  JoinedServer joined{.client = FileHandle(ends[0]), .connection = {}};
  const FileHandle theirs(ends[1]);
  Result<FileHandle> connection = attach_end(theirs.get());
  if (!connection) return connection.error();
  joined.connection = *std::move(connection);
  return joined;
}

}  // namespace

std::optional<fs::path> shared_log_file() {
  const std::optional<fs::path> state = user_state_folder();
  if (!state) return std::nullopt;
  return *state / "redraft" / "lsp.log";
}

Result<fs::path> attach_socket(const std::string& key) {
  const Result<fs::path> folder = private_runtime_folder();
  if (!folder) return folder.error();
  return *folder / ("lsp-" + key);
}

Result<int> attach(const AttachOptions& options, int in_fd, int out_fd) {
  const Result<fs::path> socket = attach_socket(options.key);
  if (!socket) return socket.error();
  const Result<FileHandle> connection = attach_or_start(options, *socket, in_fd, out_fd);
  if (!connection) return connection.error();
  if (!options.waiter.empty() && in_fd == STDIN_FILENO) become(options.waiter, connection->get());
  return await_exit(connection->get(), in_fd);
}

Result<JoinedServer> join_server(const AttachOptions& options) {
  const Result<fs::path> socket = attach_socket(options.key);
  if (!socket) return socket.error();
  return join([&](int end) { return attach_or_start(options, *socket, end, end); });
}

Result<JoinedServer> join_server_at(const fs::path& socket) {
  return join([&](int end) { return attach_at(socket, end, end); });
}

}  // namespace redraft::lsp
