#pragma once

#include <memory>
#include <string>

#include "support/token.h"
#include "text/thoughts.h"
#include "text/tokenizer.h"

namespace redraft {

// Where an output ends, in addition to a stop token.
enum class OutputEnd {
  kNone,
  kFence,     // at the fence that closes an edited text
  kFunction,  // before the first line that is not indented: the function is complete
  kScript,    // before the text that models write after a program: calls, tests, the next task
};

// Takes an output's tokens and decides where it ends.
class OutputLimit {
 public:
  // `fence` and `beginning` are those of an edit's prompt; otherwise the fence is empty.
  // `tokenizer` outlives this.
  OutputLimit(const Tokenizer& tokenizer, OutputEnd end, const std::string& fence,
              AnswerBeginning beginning = AnswerBeginning::kNoThought);
  ~OutputLimit();
  OutputLimit(const OutputLimit&) = delete;
  OutputLimit& operator=(const OutputLimit&) = delete;

  // False if the output is complete; what follows is ignored.
  bool add(TokenId token);
  // The output without the part that only showed that it was complete; for an edit, the new text.
  // Call it once, at the end.
  std::string text();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redraft
