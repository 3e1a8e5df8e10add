#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/token.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"
#include "workspace/snippets/snippets.h"

namespace redraft {

// The input of a completion.
struct CompletionContext {
  std::string file;  // its path, as shown to the model
  std::string_view prefix;
  std::optional<std::string_view> suffix;  // nullopt: continue the prefix instead of filling in
  std::span<const Snippet> snippets = {};  // of other files
  std::string_view model = {};             // its name, for find_fill_format()
};

// The prompt in the format that the model was trained on, see FillFormat. Snippets come before the
// file, each under its name; a model without tokens for that sees the names as lines of text. Fails
// if the model cannot fill in the middle.
Result<std::vector<PromptPart>> completion_prompt(const Tokenizer& tokenizer,
                                                  const CompletionContext& context);

// A fill-in-the-middle prompt whose special tokens are spelled in its text, as clients write it
// that know a model's format (FillFormat): only the text before and after the cursor. nullopt if
// `prompt` is anything else, or if one of the spellings occurs twice.
struct SpelledFill {
  std::string_view prefix;
  std::string_view suffix;
};
std::optional<SpelledFill> read_spelled_fill(std::string_view prompt);

// The tokens that end a completion, in addition to those that end a text.
std::vector<TokenId> completion_ends(const Tokenizer& tokenizer, std::string_view model);

}  // namespace redraft
