#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/token.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace redraft {

// The vocabulary of an engine whose tokens are a server's: every byte is a token, and there are the
// control tokens of ChatML and, with `fills`, those that Qwen2.5-Coder fills in with. It stands for
// text; the server makes its own tokens of it.
std::shared_ptr<const Tokenizer> remote_vocabulary(bool fills);

// What a prompt of such tokens says.
struct RemotePrompt {
  std::vector<ChatMessage> messages;  // of a chat; none: `text` is the prompt
  std::string opened;                 // the beginning of the assistant's next turn
  std::string text;                   // control tokens by their spelling
};
RemotePrompt read_prompt(const Tokenizer& tokenizer, std::span<const TokenId> tokens);

}  // namespace redraft
