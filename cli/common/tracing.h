#pragma once

#include <string>

#include "cli/common/command.h"
#include "support/result.h"

namespace redraft::cli {

// Implements `--trace-file`: a trace of spans (support/trace) until the end of the scope. Prints to
// stderr where it is, and afterwards what is missing in it.
class Tracing {
 public:
  Tracing() = default;
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  // Does nothing if `file` is empty. An error if the file cannot be created.
  Result<void> begin(const std::string& file);

 private:
  bool on_ = false;
};

Option add_trace_option(CommandLine subcommand, std::string& file);

}  // namespace redraft::cli
