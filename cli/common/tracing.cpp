#include "cli/common/tracing.h"

#include <filesystem>
#include <iostream>

#include "support/trace/trace.h"

namespace redraft::cli {

Result<void> Tracing::begin(const std::string& file) {
  if (file.empty()) return {};
  const Result<std::filesystem::path> path = begin_trace(file);
  if (!path) return path.error().in("--trace-file");
  on_ = true;
  std::cerr << "redraft: the trace is recorded in " << path->string()
            << ". Open it with ui.perfetto.dev or chrome://tracing" << std::endl;
  return {};
}

Tracing::~Tracing() {
  if (!on_) return;
  if (const Result<void> ended = end_trace(); !ended)
    std::cerr << "redraft: warning: " << ended.error().message() << std::endl;
}

Option add_trace_option(CommandLine subcommand, std::string& file) {
  return subcommand
      .add_option(
          "--trace-file", file,
          "New file that records how time is spent (queue, load, read, draft, verify, diff), "
          "as a trace for chrome://tracing or Perfetto. It does not contain your text")
      .group("Seeing inside");
}

}  // namespace redraft::cli
