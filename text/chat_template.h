#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/token.h"
#include "text/tokenizer.h"

namespace redraft {

struct ChatMessage {
  std::string role;  // "system", "user" or "assistant"
  std::string text;
};

// A prompt as a sequence of text and control tokens, so that text can never forge a control token.
struct PromptPart {
  std::string text;
  bool control = false;  // `text` is the spelling of a special token
};

// Messages in the model's own chat format, ending with the opened assistant turn. A model's
// template is a program; redraft does not run it, but recognises the formats that it knows: ChatML
// (Qwen, SmolLM), Llama 3's, and DeepSeek Coder's, which marks turns with plain text. A model
// without a template counts as ChatML if its vocabulary has ChatML's tokens. Any other is an error.
// Text that templates add on their own (a default system message, today's date) is left out. Where
// a template can switch thinking off, it is off.
Result<std::vector<PromptPart>> chat_prompt(const Tokenizer& tokenizer,
                                            const std::vector<ChatMessage>& messages);

// `text` without the white space at both ends that Jinja's filter `trim` removes; a view into it.
std::string_view trimmed_as_in_templates(std::string_view text);

// Tokens that end an assistant turn.
std::vector<TokenId> end_of_turn_tokens(const Tokenizer& tokenizer);

}  // namespace redraft
