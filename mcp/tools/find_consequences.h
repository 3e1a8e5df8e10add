#pragma once

#include <memory>

#include "mcp/tool.h"
#include "mcp/tools/file_writer.h"
#include "mcp/tools/language_server.h"

namespace redraft::mcp {

// Finds the edits that follow from the latest change that a tool has written into a file.
Tool find_consequences_tool(std::shared_ptr<LanguageServer> server,
                            std::shared_ptr<const FileWriter> writer);

}  // namespace redraft::mcp
