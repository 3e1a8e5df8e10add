#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"
#include "support/token.h"
#include "text/thoughts.h"
#include "text/tokenizer.h"
#include "workspace/edit/fenced_output.h"

namespace redraft {

// Finds the code in a model's answer: without what the model thinks, and without the fence.
//
// Usually the prompt opens the fence, so that the first token already is code. If the answer begins
// with a thought all the same, the model may open the fence once more. If the prompt opened a
// thought (AnswerBeginning::kThinks), it could not open the fence: the code begins after the
// answer's first line that opens one.
class CodeAnswer {
 public:
  // `fence` is the prompt's. If the answer opens a fence, that one counts. A shorter one is code,
  // except where the answer has to open one. `tokenizer` outlives this.
  CodeAnswer(const Tokenizer& tokenizer, std::string fence, AnswerBeginning beginning);

  // The lines of code that are complete by this token, without their endings.
  std::vector<std::string> add(TokenId token);
  // The model has ended its turn: the lines that were held back.
  std::vector<std::string> end();

  bool closed() const { return fenced_.closed(); }  // the closing fence has come
  bool thinking() const { return splitter_.thinking(); }
  // How many of the answer's bytes (answer_bytes()) come before the code; nullopt: it has not
  // begun.
  std::optional<std::size_t> code_begin() const;
  // An error for the user if an answer of `n_tokens` has no code because the model only thought, or
  // wrote no fence. `at_limit`: the token limit ended it.
  Result<void> check(int n_tokens, bool at_limit) const;

 private:
  // Whether the answer opens a fence.
  enum class Opening : std::uint8_t { kNone, kPossible, kRequired };

  std::vector<std::string> take(const ThoughtSplitter::Pieces& pieces);
  bool find_opening();

  const Tokenizer& tokenizer_;
  ThoughtSplitter splitter_;
  Opening opening_;
  std::size_t prompts_length_;      // of the prompt's fence
  std::string line_;                // before the opening fence, not ended yet
  std::size_t before_opening_ = 0;  // bytes of text before the code
  FencedOutput fenced_;
};

}  // namespace redraft
