#pragma once

#include <memory>

#include "mcp/tool.h"
#include "mcp/tools/worker.h"

namespace redraft::mcp {

// Changes files as an agent proposes: finds the places, and writes what has no doubt. `worker`
// answers with answer_placing().
Tool edit_file_tool(std::shared_ptr<Worker> worker);

// What a worker answers to a PlacingTask as JSON: a Placing, or an error.
std::string answer_placing(std::string_view request);

}  // namespace redraft::mcp
