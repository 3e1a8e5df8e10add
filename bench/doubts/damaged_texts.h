#pragma once

#include <string>
#include <vector>

#include "bench/doubts/changed_file.h"

namespace redraft {

// A correct change, damaged as models damage their answers.
struct DamagedText {
  std::string damage;  // "ends too early"
  std::string text;    // the whole file
};

// One for each damage that is possible, always the same for one file. Empty if the answer is too
// short.
std::vector<DamagedText> damaged_texts(const ChangedFile& file);

// The damages, in the order of the table.
const std::vector<std::string>& damages();

}  // namespace redraft
