#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace redraft {

// What a process does that somebody has taken over, and how each thing went: "ok" or the name of
// the error, as "EPERM".
struct OutsideAttempt {
  std::string name;
  std::string outcome;
};

// Tries to run a program, to connect, to signal and trace `process`, and to write in `workspace`
// (which has a file a.py) and in `home`. What succeeds is undone, except that a.py has a new mode.
std::vector<OutsideAttempt> attempt_outside(const std::filesystem::path& workspace,
                                            const std::filesystem::path& home, int process);

}  // namespace redraft
