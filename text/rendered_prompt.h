#pragma once

#include <vector>

#include "support/result.h"
#include "text/chat_renderer.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace redraft {

// chat_prompt() by a model's own template. Why no text of a message becomes a control token,
// although a template only returns one text: the template is rendered with unguessable marks in
// place of the texts. Special tokens are looked for in what is written around the marks, and only
// there. The texts are put in the marks' places.
//
// A template may do something else with a real text than with a mark. So it is rendered with the
// texts as well, and both results must be the same text. White space that the template removes at
// the ends of a text is removed here too. If the template rejects or omits a system message, that
// message becomes the beginning of the user's.
//
// An error is a reason, as for ChatRenderer::render.
Result<std::vector<PromptPart>> rendered_prompt(const Tokenizer& tokenizer, ChatRenderer& renderer,
                                                const std::vector<ChatMessage>& messages);

}  // namespace redraft
