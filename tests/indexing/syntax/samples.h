#pragma once

#include <span>
#include <string>
#include <vector>

namespace redraft {

// One small program in each language, without errors; the cursor and the symbol around it are
// marked.
struct Sample {
  const char* language;
  const char* marked;
  std::vector<std::string> names;  // of its definitions
};

std::span<const Sample> samples();

}  // namespace redraft
