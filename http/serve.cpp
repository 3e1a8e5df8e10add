#include "http/serve.h"

#include <spdlog/spdlog.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/http_server.h"
#include "lsp/host/access_token.h"
#include "lsp/host/host_loop.h"
#include "lsp/host/listener.h"
#include "lsp/host/loopback_socket.h"
#include "support/files/private_folder.h"

namespace redraft::http {
namespace {

Result<std::optional<lsp::TokenFile>> make_token(const ServeOptions& options, int port) {
  if (!options.needs_token) return std::optional<lsp::TokenFile>();
  std::filesystem::path file = options.token_file;
  if (file.empty()) {
    const Result<std::filesystem::path> folder = private_runtime_folder();
    if (!folder) return folder.error();
    file = *folder / ("token-" + std::to_string(port));
  }
  Result<lsp::TokenFile> made = lsp::TokenFile::make(file);
  if (!made) return made.error();
  return std::optional(std::move(*made));
}

// Everything that lives as long as clients are served; the listener goes first.
struct OpenDoor {
  std::optional<lsp::TokenFile> token;
  lsp::LoopbackSocket socket;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<lsp::Listener> listener;
};

}  // namespace

Result<int> serve(lsp::ServerOptions server, ServeOptions options) {
  auto door = std::make_shared<OpenDoor>();
  Result<lsp::LoopbackSocket> listening = lsp::listen_on_loopback(options.port);
  if (!listening) return listening.error();
  door->socket = std::move(*listening);
  Result<std::optional<lsp::TokenFile>> token = make_token(options, door->socket.port);
  if (!token) return token.error();
  if (*token) {
    door->token.emplace(*std::move(*token));
    options.http.token = door->token->token();
    std::cerr << "redraft: the token is in " << door->token->path().string() << std::endl;
    if (server.confinement)
      server.confinement->removable.push_back(door->token->path().parent_path());
  }
  return lsp::run_session_host(
      std::move(server), lsp::LogKind::kShared,
      [&](lsp::SessionHost& host) -> std::shared_ptr<void> {
        host.end_on_signals();
        door->server =
            std::make_unique<HttpServer>(host.io(), host.engine(), host.side(), options.http);
        door->listener =
            std::make_unique<lsp::Listener>(host.io(), door->socket.socket.get(),
                                            [http = door->server.get()](FileHandle connection) {
                                              http->add(std::move(connection));
                                            });
        host.engine().load_early();
        const std::string address = "http://127.0.0.1:" + std::to_string(door->socket.port);
        std::cout << "listening on " << address << std::endl;
        spdlog::info("listening on {}", address);
        return std::exchange(door, nullptr);
      });
}

}  // namespace redraft::http
