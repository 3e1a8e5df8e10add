#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decoding/text/tokenizer.h"
#include "support/token.h"

namespace redraft {

// What a scripted model fills in at a place: behind `after`, or behind that and the beginning of
// `write`, it goes on with `write`. With an empty `after` it writes the same everywhere.
struct FillScript {
  struct Fill {
    std::string after;
    std::string write;
  };
  std::vector<Fill> fills;  // the first that applies
};

// What is written behind `before`; empty where the script has nothing, or no more.
std::string fill_behind(const FillScript& script, const std::string& before);

// One token a byte, with Qwen's tokens for filling in.
std::shared_ptr<const Tokenizer> fill_tokenizer();

// Whether the sequence is a prompt for filling in, and what may have been written to it.
bool is_fill_prompt(const Tokenizer& tokenizer, std::span<const TokenId> sequence);
// The next token of such a sequence.
TokenId next_fill_token(const Tokenizer& tokenizer, const FillScript& script,
                        std::span<const TokenId> sequence);

}  // namespace redraft
