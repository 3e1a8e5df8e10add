#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "support/result.h"
#include "text/tokenizer.h"
#include "tuning/example.h"
#include "tuning/trainable_model.h"

namespace redraft {

// What a tuning run learns of each target.
enum class TuningLoss {
  kEoft,  // edit-oriented fine-tuning: what the original does not have
  kSft,   // supervised fine-tuning: all of it
};

// Turns examples into tokens as they meet them when the model is used: prompt and target are
// encoded apart, because at that place the model begins to write. Immutable; refers to a tokenizer
// that outlives it.
class ExampleEncoder {
 public:
  explicit ExampleEncoder(const Tokenizer& tokenizer);

  // A prompt with its control tokens, as encode_prompt() gives it: every spelling of one counts.
  Result<std::vector<TokenId>> encode_prompt(const std::string& prompt) const;
  // A token is learnt if a byte of it is in a range. Of `target` only the end may be a control
  // token. An error, which begins with the example's source, if the vocabulary lacks a character.
  Result<TrainingText> encode(const TuningExample& example, TuningLoss loss) const;

 private:
  const Tokenizer& tokenizer_;
  std::vector<std::pair<std::string, TokenId>> controls_;  // spellings, longest first
};

// The texts of some examples, and what was left out.
struct EncodedExamples {
  std::vector<TrainingText> texts;
  std::size_t too_long = 0;  // more tokens than the limit
  std::size_t refused = 0;   // their errors; the first is `first_refusal`
  std::string first_refusal;
};
EncodedExamples encode_examples(const ExampleEncoder& encoder,
                                const std::vector<TuningExample>& examples, TuningLoss loss,
                                int max_tokens);

}  // namespace redraft
