#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/tool.h"
#include "mcp/tools/worker.h"
#include "support/result.h"

namespace redraft::mcp {

// What the confined process does with texts.
enum class WorkerTask : std::uint8_t { kPlace, kRenameAtHome, kRenameElsewhere };

// Has the worker do it. The answer is as untrusted as the texts.
Result<Json> ask(Call& call, Worker& worker, WorkerTask task, Json arguments);

// The worker's side.
std::string answer_request(std::string_view request);

}  // namespace redraft::mcp
