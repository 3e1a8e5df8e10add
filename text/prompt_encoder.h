#pragma once

#include <string>
#include <vector>

#include "support/result.h"
#include "support/token.h"
#include "text/chat_template.h"
#include "text/encoded_text.h"
#include "text/tokenizer.h"

namespace redraft {

// Encodes one prompt after the other and remembers the texts of the last one: if a text differs in
// one place, as a buffer does after a keystroke, only that place is encoded again. The result is
// the same as encoding from scratch. Used by one thread at a time.
class PromptEncoder {
 public:
  // `tokenizer` outlives this.
  explicit PromptEncoder(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

  // Begins with the token that the model expects at the beginning of every prompt. Consecutive text
  // parts are encoded as one text; a control part unknown to the vocabulary is an error.
  Result<std::vector<TokenId>> encode(const std::vector<PromptPart>& parts);

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  // How many bytes the tokenizer read for the last prompt: at most the size of its texts.
  std::size_t n_encoded_bytes() const { return n_encoded_bytes_; }

 private:
  struct Remembered {
    std::string text;
    EncodedText encoded;
  };

  void append_text(std::size_t index, std::string text, std::vector<TokenId>& ids);

  const Tokenizer* tokenizer_;
  std::vector<Remembered> texts_;  // those between the last prompt's control tokens, in order
  std::size_t n_encoded_bytes_ = 0;
};

// Encodes one prompt without remembering anything.
Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer,
                                           const std::vector<PromptPart>& parts);

}  // namespace redraft
