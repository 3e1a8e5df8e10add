// A recording's client, replayed against a server in this process.
//
// The moment at which the server receives a message decides what comes of it: cancelling an edit
// after its first hunk is not the same as cancelling it before. The recording shows what the server
// had said when the message came, so the replay waits for just that much (stream by stream, see
// AnswerStreams). For a message that the recording has and this server does not send, the replay
// waits until the server is idle; it never depends on a clock.
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
  kRecorded,  // and not before its recorded time
};

// Replays the recording in `file` and prints to `out` where the server's answers differ. Returns
// the exit code: 0 when nothing differs, else 1. An error if the file is not a recording that can
// be replayed.
Result<int> replay(const std::filesystem::path& file, ReplaySpeed speed,
                   EngineHost::Factory make_engine, Server::IndexFactories index,
                   std::ostream& out);

}  // namespace redraft::lsp
