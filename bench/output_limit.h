#pragma once

#include <memory>
#include <string>

#include "decoding/text/tokenizer.h"
#include "support/token.h"

namespace redraft {

// Where an output ends, beside at a stop token.
enum class OutputEnd {
  kNone,
  kFence,     // at the fence that closes an edited text
  kFunction,  // before a line that begins at the margin: the function is written
  kScript,    // before what models write after a program: calls, tests, the next task
};

// Takes an output's tokens and says where it ends.
class OutputLimit {
 public:
  // `fence` is that of an edit, otherwise empty. `tokenizer` outlives this.
  OutputLimit(const Tokenizer& tokenizer, OutputEnd end, const std::string& fence);
  ~OutputLimit();
  OutputLimit(const OutputLimit&) = delete;
  OutputLimit& operator=(const OutputLimit&) = delete;

  // False when the output is complete; what follows is ignored.
  bool add(TokenId token);
  // What was written, less what only showed that it was complete; of an edit the new text. To be
  // asked once, at the end.
  std::string text();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
