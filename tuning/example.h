#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "support/byte_range.h"
#include "support/result.h"

namespace redraft {

// One training example: a line of JSON (docs/lab/tuning.md#examples).
struct TuningExample {
  std::string prompt;  // in the model's chat format; control tokens are spelled out
  std::string target;  // the expected output, with the spelling of the end-of-turn token
  // Ranges of `target` that EoFT learns (EfficientEdit, equation 8): the lines that the original
  // does not have, and the end. Ascending, not adjacent, not empty.
  std::vector<ByteRange> learn;
  std::string source;        // where it comes from, for reports
  std::string licence = {};  // empty: unknown, or the user's own code
};

std::string to_json_line(const TuningExample& example);  // with its "\n"
// Parses one untrusted line. It may lack `licence`; members with other names are ignored. `name` is
// for errors: "FILE:12: learn[0]: …".
Result<TuningExample> parse_example(const std::string& name, std::string_view line);

// Reads a file of examples, one per line, ignoring empty lines. Fails at the first faulty line, and
// for a file without examples.
Result<std::vector<TuningExample>> read_examples(const std::filesystem::path& file);

}  // namespace redraft
