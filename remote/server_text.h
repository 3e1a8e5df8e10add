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

// A text in the tokens of a server whose tokenizer is not known here: which bytes each of them is.
// Some have no bytes of their own, because they are a part of a character: only behind the last of
// those is there a border.
class ServerText {
 public:
  using Group = std::vector<TokenId>;
  // What the server says that each group of tokens is as text.
  using Spell = std::function<Result<std::vector<std::string>>(const std::vector<Group>&)>;

  ServerText() = default;
  // Of `text`, whose tokens the server says are `tokens`. None if they spell anything else: control
  // tokens that the text spells, a server that changes text, or one whose tokens depend on what is
  // before them. Calls `spell` at most twice; its error is returned.
  static Result<std::optional<ServerText>> make(std::string text, std::vector<TokenId> tokens,
                                                const Spell& spell);

  const std::vector<TokenId>& tokens() const { return tokens_; }
  bool is_border(int place) const { return borders_[static_cast<std::size_t>(place)].has_value(); }
  // `count`, or so few less that there is a border behind so many tokens from `place` on.
  int whole(int place, int count) const;
  // The bytes of `count` tokens from `place` on, between two borders.
  std::string_view bytes(int place, int count) const;

 private:
  std::string text_;
  std::vector<TokenId> tokens_;
  std::vector<std::optional<std::size_t>> borders_;  // [tokens + 1]; none: within a character
};

}  // namespace redraft
