#pragma once

#include <map>
#include <optional>
#include <string>

#include "bench/sandbox.h"
#include "bench/task.h"
#include "support/result.h"

namespace redraft {

// Runs the tests of Python tasks on outputs, in a sandbox.
class TestRunner {
 public:
  // `python`: an absolute path that the user `nobody` can run too. The error says why this system
  // cannot confine tests.
  static Result<TestRunner> make(std::string python, const SandboxLimits& limits = {});

  // Whether the task's tests accept `text`, the output of a decoder. nullopt if the task has no
  // tests, or if even its reference fails here (for example because a package is missing), so that
  // a failure means nothing.
  std::optional<bool> accepts(const BenchTask& task, const std::string& text);
  // Whether tests run in a separate network namespace, in addition to being refused sockets.
  bool own_network() const { return own_network_; }

 private:
  TestRunner(std::string python, const SandboxLimits& limits)
      : python_(std::move(python)), limits_(limits) {}
  Result<SandboxResult> run(const std::string& program) const;
  bool can_tell(const BenchTask& task);

  std::string python_;
  SandboxLimits limits_;
  bool own_network_ = false;
  std::map<std::string, bool> can_tell_;  // by task: whether its reference passes
};

// The program that fails if `text` is not a solution: `text` where the task requires it, then the
// tests.
std::string test_program(const BenchTask& task, const std::string& text);

}  // namespace redraft
