#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/token.h"

namespace redraft {

// A text in the tokens of a server whose tokenizer is unknown here: the bytes of each token. Some
// tokens have no bytes of their own because they are parts of a character. A border exists only
// after the last token of a character.
class ServerText {
 public:
  using Group = std::vector<TokenId>;
  // Returns the server's text for each group of tokens.
  using Spell = std::function<Result<std::vector<std::string>>(const std::vector<Group>&)>;

  ServerText() = default;
  // Pairs `text` with its `tokens` from the server. Returns nothing if they spell another text:
  // because it contains control tokens, or because the server changes text or tokenizes depending
  // on what precedes it. Calls `spell` at most twice and returns its error.
  static Result<std::optional<ServerText>> make(std::string text, std::vector<TokenId> tokens,
                                                const Spell& spell);

  const std::vector<TokenId>& tokens() const { return tokens_; }
  bool is_border(int place) const { return borders_[static_cast<std::size_t>(place)].has_value(); }
  // The largest number of tokens, at most `count`, with a border after so many tokens from `place`
  // on.
  int whole(int place, int count) const;
  // The bytes of `count` tokens from `place` on, between two borders.
  std::string_view bytes(int place, int count) const;

 private:
  std::string text_;
  std::vector<TokenId> tokens_;
  std::vector<std::optional<std::size_t>> borders_;  // [tokens + 1]; nothing within a character
};

}  // namespace redraft
