#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "bench/task.h"
#include "support/result.h"
#include "workspace/documents/text_edit.h"
#include "workspace/edit/edit_doubts.h"

namespace redraft {

// A change that a programmer made: of a file, or of a part of one that is too large for the task.
struct ChangedFile {
  std::string id, language, instruction;
  std::string before, after;
  bool is_whole = false;  // not only a part
  // The lines that the edit could change, from 0, the end exclusive: of `before`, and of `after`.
  std::size_t old_first = 0, old_end = 0;
  std::size_t new_first = 0, new_end = 0;
};

// The error is the reason to leave the task out: it has no text after the change.
Result<ChangedFile> changed_file(const BenchTask& task);

// What the doubts are based on: the syntax tree, or the lines alone, as in a language without a
// grammar.
enum class DoubtBasis { kTree, kLines };

struct DoubtedText {
  std::vector<Doubt> doubts;
  int hunks = 0;
  int left = 0;  // hunks that "accept all" would leave
};

// What redraft doubts if a model had written `after` for the file, on its instruction.
DoubtedText doubted_text(const ChangedFile& file, const std::string& after, DoubtBasis basis);

// From the file's text to `after`.
std::vector<TextEdit> edits_to(const ChangedFile& file, const std::string& after);

// "lost": the name of a kind in tables.
const char* to_string(Doubt::Kind kind);

}  // namespace redraft
