#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"
#include "support/result.h"

namespace redraft {

// One thing to learn: a line of JSON (docs/lab/tuning.md#examples).
struct TuningExample {
  std::string prompt;  // in the model's chat format; control tokens by their spelling
  std::string target;  // what the model should write, with its end-of-turn token's spelling
  // Ranges of `target` that EoFT learns (EfficientEdit, equation 8): the lines that the original
  // does not have, and the end. Ascending, apart, not empty.
  std::vector<ByteRange> learn;
  std::string source;        // where it is from, for reports
  std::string licence = {};  // empty: not known, or the user's own code
};

std::string to_json_line(const TuningExample& example);  // with its "\n"
// One line, not trusted. It may lack `licence`; members with other names are ignored. `name` is for
// errors: "FILE:12: learn[0]: …".
Result<TuningExample> parse_example(const std::string& name, std::string_view line);

// A file of them, one a line; empty lines are left out. The first faulty line is an error, and so
// is a file without examples.
Result<std::vector<TuningExample>> read_examples(const std::filesystem::path& file);

}  // namespace redraft
