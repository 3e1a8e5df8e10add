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

// A text that the target is run over. Rows from the one before position `first` on are learnt.
struct TextToRecord {
  std::vector<TokenId> tokens;
  int first = 1;
  std::int32_t source = 0;  // number of the file or example
};

// The texts of a recording, from examples and from source files, in an order of their own: that of
// a shuffle, so that a recording which ends early has some of everything. The same sources give the
// same list.
class TextList {
 public:
  // Texts like `excluded` ones are left out (SimilarTexts), by the shares of `redraft tune data`.
  explicit TextList(const SimilarTexts& excluded) : excluded_(excluded) {}

  // Of each example the target is learnt, after its prompt.
  Result<void> add_examples(const std::filesystem::path& file);
  // Every source file below `folder`; with `check_licences` none that states a licence which is not
  // permissive. The project's own is the caller's to check.
  Result<void> add_files(const std::filesystem::path& folder, bool check_licences);

  struct Limits {
    int piece = 512;          // tokens; files are cut into such pieces
    int example = 4096;       // tokens; longer examples are left out
    std::int64_t tokens = 0;  // in all, about: no text is begun beyond them; 0: none
  };
  // What is left out is counted in `left_out`.
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
