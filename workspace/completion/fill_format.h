#pragma once

#include <array>
#include <span>
#include <string_view>

#include "text/tokenizer.h"

namespace redraft {

// How a family of models is asked to fill in. Spellings are of special tokens; empty: it has none.
struct FillFormat {
  enum class Order {
    kPrefixFirst,  // prefix, before; suffix, after; middle
    kSuffixFirst,  // suffix, after; prefix, before; middle
  };
  // Where other files stand, each under its name.
  enum class Files { kFirst, kBehindPrefixToken };

  std::string_view name;  // of the family
  std::string_view models =
      {};  // only for models with this in their names, in lower case; empty: any
  std::string_view prefix, suffix;
  std::string_view middle = {};               // empty: what is before the place ends the prompt
  std::string_view file = {};                 // before the name of a file
  std::string_view heading = "# File: ";      // text that stands for `file` where there is none
  std::array<std::string_view, 4> ends = {};  // other tokens that end a completion
  Order order = Order::kPrefixFirst;
  Files files = Files::kFirst;
};

// All that are known.
std::span<const FillFormat> fill_formats();

// That of a model, by its tokens and, where these are those of several families, by its name; null:
// it cannot fill in. Of several whose tokens it has, the one whose token for files it has too.
const FillFormat* find_fill_format(const Tokenizer& tokenizer, std::string_view model);

}  // namespace redraft
