#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// The output of a scripted model that fills in: it continues with `write` after `after`, or after
// `after` and the beginning of `write`. With an empty `after` it writes the same text everywhere.
struct FillScript {
  struct Fill {
    std::string after;
    std::string write;
  };
  std::vector<Fill> fills;  // the first one that applies is used
  // The probability of the model's next token after a text; everywhere else it is nearly 1.
  struct Doubt {
    std::string after;
    double probability;
  };
  std::vector<Doubt> doubts = {};
};

// The output after `before`; empty if the script has nothing, or nothing more.
std::string fill_behind(const FillScript& script, const std::string& before);

// One token per byte, with Qwen's fill-in-the-middle tokens.
std::shared_ptr<const Tokenizer> fill_tokenizer();

// Whether the sequence is a fill-in-the-middle prompt, possibly with part of its answer.
bool is_fill_prompt(const Tokenizer& tokenizer, std::span<const TokenId> sequence);
// The probability of that token according to the script; 0 if the sequence is not such a prompt.
double certainty_of_fill(const Tokenizer& tokenizer, const FillScript& script,
                         std::span<const TokenId> sequence);
// The next token of such a sequence.
TokenId next_fill_token(const Tokenizer& tokenizer, const FillScript& script,
                        std::span<const TokenId> sequence);

}  // namespace redraft
