#pragma once

#include <vector>

#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace redraft {

// chat_prompt() for a model that uses ChatML: <|im_start|>role\ntext<|im_end|>\n. Thinking is off.
// The templates of Qwen3, Qwen3.5, Qwen3.6 and Qwen3.8 can switch it off: the assistant's turn then
// begins with an empty thought. They also trim messages, and remove or keep earlier thoughts. All
// of this is recognised by the expressions that these templates use for it. A template that cannot
// switch thinking off opens a thought at the end (thoughts.h).
std::vector<PromptPart> chat_ml(const Tokenizer& tokenizer,
                                const std::vector<ChatMessage>& messages);

}  // namespace redraft
