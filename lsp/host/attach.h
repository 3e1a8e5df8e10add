#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/files/file_handle.h"
#include "support/result.h"

namespace redraft::lsp {

struct AttachOptions {
  // A short name. Servers with the same key are interchangeable, so one of them is enough.
  std::string key;
  // Starts a server that takes over clients; the path of its socket is appended. See
  // ListenOptions::kAttached.
  std::vector<std::string> command;
  // The program redraft-attached, by which this process replaces itself so as to wait with little
  // memory. Empty or absent: this process waits itself.
  std::string waiter = {};
};

// The log of servers that editors share. None: HOME is not set, so there is no folder for it.
std::optional<std::filesystem::path> shared_log_file();

// Where a server with this key listens.
Result<std::filesystem::path> attach_socket(const std::string& key);

// Has a server that other processes attach to as well serve this process's client, so that all
// share one model in memory. If none runs, one is started. That server reads and writes our
// standard input and output itself: this process only waits, and its death ends the client's
// session.
//
// Returns the exit code once the client has left. The error says why there is no server; nothing
// has been read from `in_fd` then.
Result<int> attach(const AttachOptions& options, int in_fd, int out_fd);

// A client within this process that such a server serves.
struct JoinedServer {
  FileHandle client;      // a socket that speaks LSP: the client reads and writes it
  FileHandle connection;  // closing it ends the client's session
};

// The same for a client of its own: finds or starts the server, and returns at once.
Result<JoinedServer> join_server(const AttachOptions& options);
// The same with the server that listens at this socket.
Result<JoinedServer> join_server_at(const std::filesystem::path& socket);

}  // namespace redraft::lsp
