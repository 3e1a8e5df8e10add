#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoding/text/chat_template.h"
#include "decoding/text/tokenizer.h"
#include "support/result.h"
#include "support/token.h"
#include "workspace/completion/snippets.h"

namespace redraft {

// What a completion is made from.
struct CompletionContext {
  std::string file;  // its path, as the model shall see it
  std::string_view prefix;
  std::optional<std::string_view> suffix;  // none: the prefix is continued, not filled in behind
  std::span<const Snippet> snippets = {};  // of other files
};

// The prompt in the format the model was trained on, as its tokens tell: Qwen2.5-Coder's,
// StarCoder's, DeepSeek-Coder's. Snippets come before the file, each under its name; a model
// without tokens for that sees them as lines of text. The error: the model cannot fill in.
Result<std::vector<PromptPart>> completion_prompt(const Tokenizer& tokenizer,
                                                  const CompletionContext& context);

// Tokens at which a completion ends, beside those that end a text.
std::vector<TokenId> completion_ends(const Tokenizer& tokenizer);

}  // namespace redraft
