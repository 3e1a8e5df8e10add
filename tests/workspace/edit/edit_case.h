#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "workspace/edit/edit_result.h"

namespace redraft {

// One file of tests/cases/edits. Sections begin with "=== name"; the lines of a text begin with
// "|", and an ending other than "\n" is written at the line's end: ␍␊ ("\r\n"), ␍ ("\r"), ␄ (none,
// the text ends here). ⟨BOM⟩ stands for a byte order mark. `range` and `answer` are optional; by
// default they are the whole file, and the text after the edit with the closing fence.
struct EditCase {
  std::string instruction;
  std::optional<ByteRange> range;
  std::string before;
  std::optional<std::string> answer;  // what the model writes, to the last byte
  std::string after;
  std::vector<Hunk> hunks;
};

Result<EditCase> read_edit_case(const std::filesystem::path& file);
void write_edit_case(const std::filesystem::path& file, const EditCase& edit_case);

// A text in the notation above.
std::string spelled(const std::string& text);

}  // namespace redraft
