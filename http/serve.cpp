#include "http/serve.h"

#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "http/http_server.h"
#include "lsp/host/access_token.h"
#include "lsp/host/attached_client.h"
#include "lsp/host/host_loop.h"
#include "lsp/host/listener.h"
#include "lsp/host/local_socket.h"
#include "lsp/host/loopback_socket.h"
#include "support/files/private_folder.h"
#include "support/log/log.h"

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

// Everything that lives as long as clients are served; the listeners are destroyed first.
struct OpenDoors {
  std::optional<lsp::TokenFile> token;
  lsp::LoopbackSocket port;
  std::optional<lsp::LocalSocket> editors;
  std::unique_ptr<HttpServer> server;
  std::unique_ptr<lsp::Listener> listener, editors_listener;
};

Result<std::shared_ptr<OpenDoors>> open_doors(const ServeOptions& options) {
  auto doors = std::make_shared<OpenDoors>();
  Result<lsp::LoopbackSocket> port = lsp::listen_on_loopback(options.port);
  if (!port) return port.error();
  doors->port = std::move(*port);
  Result<std::optional<lsp::TokenFile>> token = make_token(options, doors->port.port);
  if (!token) return token.error();
  if (*token) doors->token.emplace(*std::move(*token));
  if (options.editors.empty()) return doors;
  Result<lsp::LocalSocket> editors = lsp::LocalSocket::listen(options.editors);
  if (!editors)
    return editors.error().in("another server already serves editors with these options");
  doors->editors.emplace(std::move(*editors));
  return doors;
}

void serve_clients(lsp::SessionHost& host, OpenDoors& doors, const HttpOptions& options) {
  host.end_on_signals();
  doors.server = std::make_unique<HttpServer>(host.io(), host.engine(), host.side(), options);
  doors.listener = std::make_unique<lsp::Listener>(
      host.io(), doors.port.socket.get(),
      [http = doors.server.get()](FileHandle connection) { http->add(std::move(connection)); });
  if (doors.editors) {
    doors.editors_listener = std::make_unique<lsp::Listener>(
        host.io(), doors.editors->descriptor(), [&host](FileHandle connection) {
          std::make_shared<lsp::AttachedClient>(host, std::move(connection))->start();
        });
  }
  host.engine().load_early();
}

}  // namespace

Result<int> serve(lsp::ServerOptions server, ServeOptions options) {
  Result<std::shared_ptr<OpenDoors>> opened = open_doors(options);
  if (!opened) return opened.error();
  std::shared_ptr<OpenDoors> doors = std::move(*opened);
  if (doors->token) {
    options.http.token = doors->token->token();
    std::cerr << "redraft: the token is in " << doors->token->path().string() << std::endl;
    if (server.confinement) lsp::allow_its_end(*doors->token, *server.confinement);
  }
  if (doors->editors && server.confinement)
    server.confinement->removable.push_back(doors->editors->path().parent_path());
  return lsp::run_session_host(std::move(server), logging::Lines::kOfSeveral,
                               [&](lsp::SessionHost& host) -> std::shared_ptr<void> {
                                 serve_clients(host, *doors, options.http);
                                 const std::string address =
                                     "http://127.0.0.1:" + std::to_string(doors->port.port);
                                 std::cout << "listening on " << address << std::endl;
                                 logging::info("listening on {}", address);
                                 return std::exchange(doors, nullptr);
                               });
}

}  // namespace redraft::http
