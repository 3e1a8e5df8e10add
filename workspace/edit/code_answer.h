#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
// with a thought all the same, the model may open the fence once more, and write a few words before
// it: then lines are held back until a fence is opened or the code has ended. If the prompt opened
// a thought (AnswerBeginning::kThinks), it could not open the fence: the code begins after the
// answer's first line that opens one.
class CodeAnswer {
 public:
  // `fence` is the prompt's, longer than any run of back-ticks in the region. If the answer opens
  // one that is at least as long, that one counts; a shorter one never does. `tokenizer` outlives
  // this.
  CodeAnswer(const Tokenizer& tokenizer, std::string fence, AnswerBeginning beginning);

  // The lines of code that are complete and certain by this token, without their endings.
  std::vector<std::string> add(TokenId token);
  // The model has ended its turn: the lines that were held back.
  std::vector<std::string> end();

  // The fence that ends the code; final once the code has begun.
  const std::string& fence() const { return fenced_.fence(); }
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
  void read_line(std::string_view line);

  const Tokenizer& tokenizer_;
  ThoughtSplitter splitter_;
  Opening opening_;
  std::size_t prompts_length_;      // of the prompt's fence
  std::string line_;                // not ended yet, while it is not certain what is code
  std::vector<std::string> held_;   // lines that are code unless a fence is opened
  std::size_t n_read_ = 0;          // bytes of text in lines that read_line() got
  std::size_t before_opening_ = 0;  // bytes of text before the code
  FencedOutput fenced_;
};

}  // namespace redraft
