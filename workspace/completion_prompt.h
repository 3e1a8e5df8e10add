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
#include "workspace/snippets.h"

namespace redraft {

// What a completion is made from.
struct CompletionContext {
  std::string file;  // its path, as the model shall see it
  std::string_view prefix;
  std::optional<std::string_view> suffix;  // none: the prefix is continued, not filled in behind
  std::span<const Snippet> snippets = {};  // of other files
  // What follows the place stands before what precedes it, if the family knows that order (SPM,
  // Bavarian et al. 2022, section 3). The prompt then ends with what is being typed, and a keystroke
  // leaves all the rest of it in the cache. Qwen2.5-Coder completes a line as well that way; of
  // several lines it writes a little worse ones (docs/decoding.md).
  bool suffix_first = false;
};

// The prompt in the format the model was trained on, as its tokens tell: Qwen2.5-Coder's,
// StarCoder's, DeepSeek-Coder's. Snippets come before the file, each under its name; a model
// without tokens for that sees them as lines of text. The error: the model cannot fill in.
Result<std::vector<PromptPart>> completion_prompt(const Tokenizer& tokenizer,
                                                  const CompletionContext& context);

// Whether the family knows the order that CompletionContext::suffix_first asks for.
bool knows_suffix_first(const Tokenizer& tokenizer);

// Tokens at which a completion ends, beside those that end a text.
std::vector<TokenId> completion_ends(const Tokenizer& tokenizer);

}  // namespace redraft
