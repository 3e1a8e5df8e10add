#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "mcp/files/permitted_file.h"
#include "mcp/tool.h"
#include "mcp/tools/edit_answer.h"

namespace redraft::mcp {

struct WriteOptions {
  bool dry_run = false;
  bool accepts_doubts = false;
};

// Writes the files of all tools, and remembers what they were before.
class FileWriter {
 public:
  // Writes an outcome that would be written, unless it has doubts or the agent wants it unwritten.
  void write_if_wanted(Call& call, const PermittedFile& file, const WriteOptions& options,
                       FileOutcome& outcome);
  // Writes it if the roots of this moment still have the file. The outcome says what became of it.
  void write(Call& call, const PermittedFile& file, FileOutcome& outcome);

  // The text of a file before its latest change by a tool; null: there was none lately.
  std::shared_ptr<const std::string> before(const std::string& path) const;

 private:
  std::deque<std::pair<std::string, std::shared_ptr<const std::string>>> before_;  // newest first
};

}  // namespace redraft::mcp
