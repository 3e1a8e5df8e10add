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

std::span<const Sample> code_samples();
std::span<const Sample> markup_samples();  // of data, markup and prose
const std::vector<Sample>& samples();      // of all languages

}  // namespace redraft
