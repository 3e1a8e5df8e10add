// Runs a command as `redraft bench --pass-at-1` runs the tests of a model's outputs: confined, in
// an empty folder of its own, without input and output. For bench/instructions_bench.py.
//
//     run_sandboxed [--seconds N] [--memory-mib N] COMMAND [ARGUMENT …]
//
// Exit code 0: it succeeded; 1: it failed, or took too long; 2: it could not be confined, and did
// not run.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/sandbox.h"

namespace {

constexpr int kFailed = 1, kNotRun = 2;

int fail(const std::string& why) {
  std::fprintf(stderr, "run_sandboxed: %s\n", why.c_str());
  return kNotRun;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  redraft::SandboxLimits limits;
  while (arguments.size() > 1 && arguments.front().starts_with("--")) {
    const double value = std::atof(arguments[1].c_str());
    if (value <= 0) return fail(arguments[0] + " needs a number above 0");
    if (arguments[0] == "--seconds") {
      limits.wall_seconds = value;
    } else if (arguments[0] == "--memory-mib") {
      limits.memory_bytes = static_cast<std::size_t>(value) << 20;
    } else {
      return fail("unknown option " + arguments[0]);
    }
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.empty() || !arguments.front().starts_with("/"))
    return fail("needs a command by its absolute path");
  const redraft::Result<redraft::SandboxResult> result =
      redraft::run_sandboxed(arguments, "empty", "", limits);
  if (!result) return fail(result.error().message());
  if (result->succeeded()) return EXIT_SUCCESS;
  using End = redraft::SandboxResult::End;
  const char* how = result->end == End::kTimeout  ? "took too long"
                    : result->end == End::kSignal ? "was ended by signal"
                                                  : "ended with exit code";
  std::printf("%s %d\n", how, result->code);
  return kFailed;
}
