#pragma once

#include <cstdint>
#include <span>

#include "support/token.h"

namespace redraft {

// A well-mixed hash for keys of a few tokens. Different keys may share a hash; compare the keys
// where that matters.
inline std::uint64_t hash_of_tokens(std::span<const TokenId> tokens) {
  std::uint64_t hash = tokens.size();
  for (const TokenId token : tokens) {
    hash = (hash ^ static_cast<std::uint32_t>(token)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace redraft
