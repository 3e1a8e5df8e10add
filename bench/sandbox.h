#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/result.h"

namespace redraft {

struct SandboxLimits {
  double wall_seconds = 15;
  int cpu_seconds = 10;                             // of each process
  std::size_t memory_bytes = std::size_t{2} << 30;  // address space of each process
  std::size_t file_bytes = std::size_t{16} << 20;   // largest file that may be written
  int processes = 16;  // and threads, in addition to those that the user already has
};

struct SandboxResult {
  enum class End { kExit, kSignal, kTimeout };
  End end = End::kExit;
  int code = 0;              // exit code or signal
  bool own_network = false;  // an empty network namespace, in addition to refused sockets

  bool succeeded() const { return end == End::kExit && code == 0; }
};

// Runs untrusted code: `command` (its program an absolute path) in a fresh folder that contains
// `text` as `file_name` and is removed afterwards. The code has no environment, no input, no output
// and no capabilities. It can read what the user `nobody` (if this process is root's, otherwise its
// own user) may read, but no device. It cannot write, create or delete anything outside its folder,
// reach a terminal, open a socket, signal, trace or limit another process, or leave a process
// behind. If this system cannot guarantee all of that, the result is an error and nothing has run.
// Any thread may call it; several at once.
Result<SandboxResult> run_sandboxed(const std::vector<std::string>& command,
                                    const std::string& file_name, const std::string& text,
                                    const SandboxLimits& limits = {});

}  // namespace redraft
