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
#include "workspace/snippets/snippets.h"

namespace redraft {

// The input of a completion.
struct CompletionContext {
  std::string file;  // its path, as shown to the model
  std::string_view prefix;
  std::optional<std::string_view> suffix;  // none: continue the prefix instead of filling in
  std::span<const Snippet> snippets = {};  // of other files
};

// The prompt in the format the model was trained on, which its tokens show: that of Qwen2.5-Coder,
// StarCoder or DeepSeek-Coder. Snippets come before the file, each under its name; a model without
// tokens for that sees the names as lines of text. An error if the model cannot fill in the middle.
Result<std::vector<PromptPart>> completion_prompt(const Tokenizer& tokenizer,
                                                  const CompletionContext& context);

// The tokens that end a completion, in addition to those that end a text.
std::vector<TokenId> completion_ends(const Tokenizer& tokenizer);

}  // namespace redraft
