#pragma once

#include "workspace/engine/engine_host.h"

namespace redraft {

// If the cost of passes is worth measuring again (Engine::ask_for_cost), does so once nobody has
// wanted the model for a few seconds. Whoever comes meanwhile waits for one pass. On the decode
// thread, after a request.
void measure_when_idle(EngineHost& host, Engine& used);

}  // namespace redraft
