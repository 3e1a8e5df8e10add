// A recording's client, once more, against a server in this process.
//
// When a message of the client is given to the server decides what comes of it: an edit that was
// cancelled after its first hunk is another than one cancelled before. The recording shows what the
// server had said when the message came, so the replay waits for that much (stream by stream, see
// AnswerStreams) and no longer. What the recording has and this server does not say is waited for
// until the server has nothing left to do; no clock decides.
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
  kRecorded,  // and not before its time
};

// Plays the recording in `file` and says on `out` what the server answers otherwise. Returns the
// exit code: 0 when nothing differs, else 1. An error: the file is no recording that can be played.
Result<int> replay(const std::filesystem::path& file, ReplaySpeed speed,
                   EngineHost::Factory make_engine, Server::IndexFactories index,
                   std::ostream& out);

}  // namespace redraft::lsp
