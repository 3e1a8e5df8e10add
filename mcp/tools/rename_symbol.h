#pragma once

#include <memory>

#include "mcp/tool.h"
#include "mcp/tools/file_writer.h"
#include "mcp/tools/worker.h"

namespace redraft::mcp {

// Renames what a file declares, there and in the other files of the roots. `worker` answers with
// answer_request().
Tool rename_symbol_tool(std::shared_ptr<Worker> worker, std::shared_ptr<FileWriter> writer);

}  // namespace redraft::mcp
