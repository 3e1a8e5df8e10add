#pragma once

#include "workspace/engine/engine_host.h"

namespace redraft {

// If the loaded model has never been checked (Engine::ask_for_check), does so a few seconds
// after the load, as soon as no request runs. A request that comes meanwhile waits for one pass. A
// fault becomes part of the host's status. On the decode thread, after a load.
void check_when_idle(EngineHost& host, Engine& loaded);

}  // namespace redraft
