#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace redraft {

struct ProgramLimits {
  std::size_t output_bytes = std::size_t{256} << 20;
  std::chrono::seconds time{120};
};

// Runs a program with exactly these arguments and environment variables (without a shell, in the
// folder "/"), gives it `input`, and returns its standard output. If its exit code is not 0, the
// error contains its standard error. A program that exceeds the limits is killed. Blocks; any
// thread.
Result<std::string> run_program(const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment, std::string_view input,
                                const ProgramLimits& limits = {});

}  // namespace redraft
