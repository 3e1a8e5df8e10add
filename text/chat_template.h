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

// Messages in the model's own chat format, ending with the opened assistant turn. Where a template
// can switch thinking off, it is off. A model's template is a program. redraft does not run those
// of the formats that it recognises: ChatML (Qwen, SmolLM), Llama 3's, and DeepSeek Coder's, which
// marks turns with plain text. Text that these templates add on their own (a default system
// message, today's date) is left out.
//
// Any other template is run by the tokenizer's renderer (rendered_prompt.h). Behind what it writes,
// gpt-oss is forced into its final channel, and the models of Gemma 4 that begin each answer with a
// thought (TokenizerSpec::answers_after_thought) get an empty one. If a template cannot be run, the
// user is told, and the vocabulary's control tokens decide on the format, as for a model without a
// template. An error if they are none of a known format. Thread-safe; may block
// for as long as ChatRenderer::render does.
Result<std::vector<PromptPart>> chat_prompt(const Tokenizer& tokenizer,
                                            const std::vector<ChatMessage>& messages);

// Whether chat_prompt() recognises the format of this template.
bool knows_chat_template(std::string_view chat_template);

// `text` without the white space at both ends that Jinja's filter `trim` removes; a view into it.
std::string_view trimmed_as_in_templates(std::string_view text);

// Tokens that end an assistant turn.
std::vector<TokenId> end_of_turn_tokens(const Tokenizer& tokenizer);

}  // namespace redraft
