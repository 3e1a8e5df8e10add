#pragma once

#include <memory>

#include "mcp/tool.h"
#include "mcp/tools/file_writer.h"
#include "mcp/tools/language_server.h"

namespace redraft::mcp {

// Has the local model change a file as an instruction says.
Tool edit_by_instruction_tool(std::shared_ptr<LanguageServer> server,
                              std::shared_ptr<FileWriter> writer);

}  // namespace redraft::mcp
