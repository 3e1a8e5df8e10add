#pragma once

#include <string>

#include "cli/common/command.h"
#include "support/result.h"

namespace redraft::cli {

// What `--trace-file` asks for: a trace of spans (support/trace), from here to the end of the
// scope. Says on stderr where it is, and afterwards what it lacks.
class Tracing {
 public:
  Tracing() = default;
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  // Nothing happens where `file` is empty. An error: it cannot be made.
  Result<void> begin(const std::string& file);

 private:
  bool on_ = false;
};

CLI::Option* add_trace_option(CLI::App& subcommand, std::string& file);

}  // namespace redraft::cli
