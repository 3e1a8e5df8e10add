#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "support/result.h"
#include "support/token.h"
#include "text/tokenizer.h"
#include "tuning/data/edit_pair.h"
#include "tuning/data/similar_texts.h"
#include "tuning/example.h"

namespace redraft {

// A text that the target runs over. Rows from the one before position `first` on are learnt.
struct TextToRecord {
  std::vector<TokenId> tokens;
  int first = 1;
  std::int32_t source = 0;  // number of the file or example
};

// The texts of a recording, from examples and from source files, shuffled, so that a recording that
// ends early has some of everything. The same sources give the same list.
class TextList {
 public:
  // Leaves out texts like `excluded` ones (SimilarTexts), with the thresholds of `redraft tune
  // data`.
  explicit TextList(const SimilarTexts& excluded) : excluded_(excluded) {}

  // Adds examples. The target of an example is learnt, its prompt is not.
  Result<void> add_examples(const std::filesystem::path& file);
  // Adds every source file below `folder`. With `check_licences`, leaves out files that state a
  // licence which is not permissive. The caller checks the project's own licence.
  Result<void> add_files(const std::filesystem::path& folder, bool check_licences);

  struct Limits {
    int piece = 512;          // in tokens; files are cut into pieces of this length
    int example = 4096;       // in tokens; longer examples are left out
    std::int64_t tokens = 0;  // the total, approximately: no text begins beyond it; 0: no limit
  };
  // Counts in `left_out` what it leaves out.
  std::vector<TextToRecord> texts(const Tokenizer& tokenizer, const Limits& limits);

  std::map<LeftOutReason, int> left_out;

 private:
  struct Source {
    std::string file;  // its text; empty: an example
    TuningExample example;
  };

  const SimilarTexts& excluded_;
  std::vector<Source> sources_;
};

}  // namespace redraft
