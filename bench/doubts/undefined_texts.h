#pragma once

#include <string>
#include <vector>

#include "bench/doubts/changed_file.h"

namespace redraft {

// A correct change in which one use of a name has become that of a name that nothing defines.
struct UndefinedText {
  const ChangedFile* file = nullptr;
  std::string name;  // the undefined one
  std::string line;  // its line
  std::string text;  // the whole file
};

// At most `n_texts` of whole files: one use of each file, then a second one of each, and so on. The
// uses are chosen at random among those in new lines by which the name alone stands for what the
// file declares or imports.
std::vector<UndefinedText> undefined_texts(const std::vector<ChangedFile>& files, int n_texts,
                                           unsigned seed);

}  // namespace redraft
