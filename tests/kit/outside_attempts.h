#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace redraft {

// The actions of a compromised process, and the result of each: "ok" or the name of the error, as
// in "EPERM".
struct OutsideAttempt {
  std::string name;
  std::string outcome;
};

// Tries to run a program, to connect, to signal and trace `process`, and to write in `workspace`
// (which has a file a.py) and in `home`. Undoes what succeeds, except that a.py has a new mode.
std::vector<OutsideAttempt> attempt_outside(const std::filesystem::path& workspace,
                                            const std::filesystem::path& home, int process);

}  // namespace redraft
