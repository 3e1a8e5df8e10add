#pragma once

#include <memory>

#include "mcp/tool.h"
#include "mcp/tools/file_writer.h"
#include "mcp/tools/worker.h"

namespace redraft::mcp {

// Changes files as an agent proposes: finds the places, and writes what has no doubt. `worker`
// answers with answer_request().
Tool edit_file_tool(std::shared_ptr<Worker> worker, std::shared_ptr<FileWriter> writer);

}  // namespace redraft::mcp
