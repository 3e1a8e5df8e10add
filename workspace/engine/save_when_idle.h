#pragma once

#include <string>
#include <vector>

#include "support/token.h"
#include "workspace/engine/engine_host.h"

namespace redraft {

// Once nobody else wants the model, writes the prompts that an edit of the file `source` had read
// (Engine::take_read_prompts) to the engine's archive. Whoever comes meanwhile waits for one block.
void save_when_idle(EngineHost& host, std::vector<std::vector<TokenId>> prompts,
                    const std::string& source);

}  // namespace redraft
