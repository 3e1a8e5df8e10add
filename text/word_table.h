#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/token.h"

namespace redraft {

// The bytes of every token, and which token has given bytes. Open addressing over one block of
// text.
class WordTable {
 public:
  // Room for `n_tokens` ids, which are added in order.
  explicit WordTable(std::size_t n_tokens);

  // Adds the next id. If it is not `findable`, only its bytes are kept. Returns the findable id
  // that already has the same bytes (that one stays findable), or -1.
  TokenId add(std::string_view bytes, bool findable);
  TokenId find(std::string_view bytes) const;  // or -1
  std::string_view bytes(TokenId id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::string_view(text_).substr(starts_[i], starts_[i + 1] - starts_[i]);
  }

 private:
  struct Slot {
    std::uint32_t tag;  // some bits of the hash, so that few wrong slots cost a comparison
    TokenId id;         // -1: free
  };

  std::vector<Slot> slots_;  // a power of two, at most half full
  std::vector<std::size_t> starts_;
  std::string text_;
};

}  // namespace redraft
