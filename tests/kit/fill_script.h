#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

// What a scripted model fills in: after `after`, or after that and the beginning of `write`, it
// continues with `write`. With an empty `after` it writes the same everywhere.
struct FillScript {
  struct Fill {
    std::string after;
    std::string write;
  };
  std::vector<Fill> fills;  // the first one that applies
  // How likely the model says its next token is behind a text; elsewhere it is nearly certain.
  struct Doubt {
    std::string after;
    double probability;
  };
  std::vector<Doubt> doubts = {};
};

// What is written after `before`; empty if the script has nothing, or no more.
std::string fill_behind(const FillScript& script, const std::string& before);

// One token per byte, with Qwen's fill-in-the-middle tokens.
std::shared_ptr<const Tokenizer> fill_tokenizer();

// Whether the sequence is a fill-in-the-middle prompt, perhaps with part of its answer.
bool is_fill_prompt(const Tokenizer& tokenizer, std::span<const TokenId> sequence);
// How likely the script says that token is; 0 if the sequence is no such prompt.
double certainty_of_fill(const Tokenizer& tokenizer, const FillScript& script,
                         std::span<const TokenId> sequence);
// The next token of such a sequence.
TokenId next_fill_token(const Tokenizer& tokenizer, const FillScript& script,
                        std::span<const TokenId> sequence);

}  // namespace redraft
