#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "support/result.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"

namespace redraft {

// The prompt format in which a family of models fills in the middle. Values are spellings of
// special tokens; empty: the family has none.
struct FillFormat {
  enum class Order {
    kPrefixFirst,  // prefix, before; suffix, after; middle
    kSuffixFirst,  // suffix, after; prefix, before; middle
  };
  // Where other files go, each under its name.
  enum class Files { kFirst, kBehindPrefixToken };

  std::string_view name;  // of the family
  std::string_view models =
      {};  // only for models with this in their names, in lower case; empty: all models
  std::optional<PreTokenizer> pre_tokenizer = {};  // only for vocabularies with this one
  std::string_view prefix, suffix;
  std::string_view middle = {};               // empty: the text before the cursor ends the prompt
  std::string_view file = {};                 // before the name of a file
  std::string_view heading = "# File: ";      // text that replaces `file` if that is empty
  std::array<std::string_view, 4> ends = {};  // other tokens that end a completion
  Order order = Order::kPrefixFirst;
  Files files = Files::kFirst;
  // false: the vocabulary has the tokens, but no document says that the models learnt to use them
  bool trained = true;
};

// All known formats.
std::span<const FillFormat> fill_formats();

// The format of a model, by its tokens. If several families share the tokens, the model's name
// and its pre-tokenizer decide, then whether it has the family's token for files. Null: the model
// cannot fill in.
const FillFormat* find_fill_format(const Tokenizer& tokenizer, std::string_view model);

// The same, but an error says why the model cannot fill in and which setting helps.
Result<const FillFormat*> require_fill_format(const Tokenizer& tokenizer, std::string_view model);

}  // namespace redraft
