#pragma once

#include <string>
#include <vector>

#include "decoding/text/tokenizer.h"
#include "support/token.h"

namespace redraft {

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string text;
};

// A prompt as a sequence of text and control tokens, so that text can never forge a control token.
struct PromptPart {
  std::string text;
  bool control = false;  // text is the spelling of a special token
};

// Messages in the model family's chat format, ending with the opened assistant turn. ChatML (Qwen,
// SmolLM2).
std::vector<PromptPart> chat_prompt(const std::vector<ChatMessage>& messages);

// Tokens that end an assistant turn.
std::vector<TokenId> end_of_turn_tokens(const Tokenizer& tokenizer);

// Consecutive text parts are encoded as one text; a control part unknown to the vocabulary is an
// error.
Result<std::vector<TokenId>> encode_prompt(const Tokenizer& tokenizer,
                                           const std::vector<PromptPart>& parts);

}  // namespace redraft
