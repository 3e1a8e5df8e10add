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
  std::cerr << "redraft: the trace goes to " << path->string()
            << "; ui.perfetto.dev or chrome://tracing shows it" << std::endl;
  return {};
}

Tracing::~Tracing() {
  if (!on_) return;
  if (const Result<void> ended = end_trace(); !ended)
    std::cerr << "redraft: warning: " << ended.error().message() << std::endl;
}

CLI::Option* add_trace_option(CLI::App& subcommand, std::string& file) {
  return subcommand
      .add_option("--trace-file", file,
                  "New file for what the time goes to (queue, load, read, draft, verify, diff), as "
                  "a trace for chrome://tracing or Perfetto. No text of yours is in it")
      ->group("Seeing inside");
}

}  // namespace redraft::cli
