#include "lsp/host/server_process.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "lsp/host/access_token.h"
#include "lsp/host/attached_client.h"
#include "lsp/host/host_loop.h"
#include "lsp/host/listener.h"
#include "lsp/host/local_socket.h"
#include "lsp/host/loopback_socket.h"
#include "support/files/private_folder.h"
#include "support/log/log.h"
#include "support/system/descriptors.h"

namespace redraft::lsp {
namespace {

FileHandle duplicate(int descriptor) { return FileHandle(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

using OnConnection = std::function<void(SessionHost&, FileHandle)>;

// The socket and its listener. Destroyed as soon as no more clients are accepted: neither a late
// client nor the next server should wait for the model's thread to end.
struct OpenDoor {
  std::shared_ptr<const void> owned;
  std::unique_ptr<Listener> listener;
};

// Prints where it listens as soon as it does.
int serve_listening(ServerOptions options, const ListenOptions& listen,
                    std::shared_ptr<const void> owned, int socket, const std::string& address,
                    const OnConnection& on_connection) {
  return run_session_host(std::move(options), logging::Lines::kOfSeveral,
                          [&](SessionHost& host) -> std::shared_ptr<void> {
                            host.end_on_signals();
                            if (listen.idle_limit) host.end_when_idle(*listen.idle_limit);
                            auto door = std::make_shared<OpenDoor>();
                            door->owned = std::move(owned);
                            door->listener = std::make_unique<Listener>(
                                host.io(), socket, [&host, on_connection](FileHandle connection) {
                                  on_connection(host, std::move(connection));
                                });
                            std::cout << "listening on " << address << std::endl;
                            logging::info("listening on {}", address);
                            return door;
                          });
}

// A connection ends with its process, so the process id that the client names is not needed.
void add_connection(SessionHost& host, FileHandle connection, const std::string& token) {
  FileHandle out = duplicate(connection.get());
  if (!out) return;
  host.add(
      {.in = std::move(connection), .out = std::move(out), .token = token, .watch_process = false});
}

Result<int> serve_on_socket(ServerOptions options, const ListenOptions& listen) {
  Result<LocalSocket> listening = LocalSocket::listen(listen.socket);
  if (!listening) return listening.error();
  auto socket = std::make_shared<LocalSocket>(std::move(*listening));
  if (options.confinement) options.confinement->removable.push_back(socket->path().parent_path());
  const OnConnection talk = [](SessionHost& host, FileHandle connection) {
    if (is_own_peer(connection.get())) return add_connection(host, std::move(connection), {});
    logging::warn("a client of another user is turned away");
  };
  const OnConnection attach = [](SessionHost& host, FileHandle connection) {
    std::make_shared<AttachedClient>(host, std::move(connection))->start();
  };
  const int descriptor = socket->descriptor();
  const std::string address = socket->path().string();
  return serve_listening(std::move(options), listen, std::move(socket), descriptor, address,
                         listen.door == ListenOptions::Door::kAttached ? attach : talk);
}

Result<int> serve_on_port(ServerOptions options, const ListenOptions& listen) {
  const Result<LoopbackSocket> listening = listen_on_loopback(listen.port);
  if (!listening) return listening.error();
  std::filesystem::path file = listen.token_file;
  if (file.empty()) {
    const Result<std::filesystem::path> folder = private_runtime_folder();
    if (!folder) return folder.error();
    file = *folder / ("token-" + std::to_string(listening->port));
  }
  Result<TokenFile> made = TokenFile::make(file);
  if (!made) return made.error();
  std::cerr << "redraft: the token is in " << made->path().string() << std::endl;
  const std::string token = made->token();
  if (options.confinement) allow_its_end(*made, *options.confinement);
  return serve_listening(std::move(options), listen, std::make_shared<TokenFile>(std::move(*made)),
                         listening->socket.get(), "127.0.0.1:" + std::to_string(listening->port),
                         [token](SessionHost& host, FileHandle connection) {
                           send_without_delay(connection.get());
                           add_connection(host, std::move(connection), token);
                         });
}

}  // namespace

int serve_one_client(ServerOptions options, int in_fd, int out_fd) {
  RecordingOptions recording = options.recording;
  // Made while the process may still make files anywhere.
  std::optional<Result<GrowingFile>> file;
  if (!recording.file.empty()) {
    file = GrowingFile::create(recording.file);
    // A replay has to know the size, which may otherwise be chosen later.
    const auto& kept = options.make_engine.prompt_size;
    recording.prompt_size = (kept ? kept() : std::nullopt).value_or(kDefaultPromptSize);
    options.make_engine = with_prompt_size(std::move(options.make_engine), recording.prompt_size);
  }
  return run_session_host(std::move(options), logging::Lines::kOfOneProcess,
                          [&](SessionHost& host) {
                            if (file) host.record(recording, *std::move(file));
                            host.add({.in = duplicate(in_fd), .out = duplicate(out_fd)},
                                     [&host](int code) { host.end(code); });
                            return std::shared_ptr<void>();
                          });
}

Result<int> serve_many_clients(ServerOptions options, const ListenOptions& listen) {
  if (listen.door == ListenOptions::Door::kPort) return serve_on_port(std::move(options), listen);
  return serve_on_socket(std::move(options), listen);
}

}  // namespace redraft::lsp
