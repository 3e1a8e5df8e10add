// Replays a recording's client against a server in this process.
//
// The outcome depends on when the server receives a message: cancelling an edit after its first
// hunk differs from cancelling it before. The recording shows what the server had sent when the
// message came, so the replay waits for exactly that (stream by stream, see AnswerStreams). If this
// server does not send a recorded message, the replay waits until the server is idle. It never
// depends on a clock.
//
//   recorded   client: edit   server: hunk 1   client: cancel   server: end
//   replayed   client: edit   ... until hunk 1 has come, or the server is idle ...   client: cancel
#pragma once

#include <filesystem>
#include <ostream>

#include "lsp/recording/recording.h"
#include "lsp/server.h"
#include "support/result.h"
#include "workspace/engine/engine_host.h"

namespace redraft::lsp {

enum class ReplaySpeed {
  kFast,      // each message as soon as the recording allows
  kRecorded,  // additionally not before its recorded time
};

// Replays the recording in `file` and prints to `out` where the server's answers differ. Returns
// the exit code: 0 if nothing differs, otherwise 1. An error if the file is not a recording that
// can be replayed.
Result<int> replay(const std::filesystem::path& file, ReplaySpeed speed,
                   EngineHost::Factory make_engine, Server::IndexFactories index,
                   std::ostream& out);

}  // namespace redraft::lsp
