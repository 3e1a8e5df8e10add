#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/tool.h"
#include "mcp/tools/placing.h"
#include "workspace/documents/document.h"

namespace redraft::mcp {

enum class FileStatus : std::uint8_t {
  kWritten,
  kWouldWrite,  // dry_run
  kProposed,    // the agent has to decide
  kUnchanged,   // the file has the change already
  kNotWritten,  // it has doubts
  kFailed,
};

const char* to_string(FileStatus status);  // "written", "would_write", ...

// What became of a call in one file.
struct FileOutcome {
  std::string path;
  FileStatus status = FileStatus::kFailed;
  std::vector<PlacedEdit> edits = {};
  std::string diff = {};
  std::vector<std::string> doubts = {};  // about all edits together
  std::vector<std::string> notes = {};
  std::string error = {};  // why it failed
};

// Fills in what a placing says: the diff, doubts and notes, and kUnchanged, kFailed, or
// kWouldWrite.
void set_placing(const Document& document, const Placing& placing, FileOutcome& outcome);
bool has_doubts(const FileOutcome& outcome);

// The answer of a tool that edits files. `further`: what it has to say besides, or an empty text.
ToolAnswer answer_of(const std::vector<FileOutcome>& files, std::string_view further = {});
// Its schema; `more` are further members of the object.
Json edit_output_schema(const Json& more = Json::object());

}  // namespace redraft::mcp
