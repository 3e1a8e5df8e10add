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

// The part of each target that a tuning run learns.
enum class TuningLoss {
  kEoft,  // edit-oriented fine-tuning: the part that the original does not have
  kSft,   // supervised fine-tuning: all of it
};

// Converts examples to tokens as in the use of the model: prompt and target are encoded separately,
// because the model begins to write between them. Immutable; refers to a tokenizer that outlives
// it.
class ExampleEncoder {
 public:
  explicit ExampleEncoder(const Tokenizer& tokenizer);

  // Encodes a prompt with its control tokens, like encode_prompt(): every spelling of one counts.
  Result<std::vector<TokenId>> encode_prompt(const std::string& prompt) const;
  // A token is learnt if any of its bytes is in a range. Only the end of `target` may be a control
  // token. The error, which begins with the example's source, says if the vocabulary lacks a
  // character.
  Result<TrainingText> encode(const TuningExample& example, TuningLoss loss) const;

 private:
  const Tokenizer& tokenizer_;
  std::vector<std::pair<std::string, TokenId>> controls_;  // spellings, longest first
};

// The texts of some examples, and what was left out.
struct EncodedExamples {
  std::vector<TrainingText> texts;
  std::size_t too_long = 0;  // with more tokens than the limit
  std::size_t refused = 0;   // with errors; the first is `first_refusal`
  std::string first_refusal;
};
EncodedExamples encode_examples(const ExampleEncoder& encoder,
                                const std::vector<TuningExample>& examples, TuningLoss loss,
                                int max_tokens);

}  // namespace redraft
