#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/token.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace redraft {

// The vocabulary of an engine whose tokens belong to a server. Each byte is a token; in addition
// there are the control tokens of ChatML and, with `fills`, Qwen2.5-Coder's fill-in-the-middle
// tokens. It represents text, which the server tokenizes itself.
std::shared_ptr<const Tokenizer> remote_vocabulary(bool fills);

// The meaning of a prompt of such tokens.
struct RemotePrompt {
  std::vector<ChatMessage> messages;  // of a chat; if empty, `text` is the prompt
  std::string opened;                 // the beginning of the assistant's next turn
  std::string text;                   // control tokens are spelled out
};
RemotePrompt read_prompt(const Tokenizer& tokenizer, std::span<const TokenId> tokens);

}  // namespace redraft
