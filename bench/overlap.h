#pragma once

#include <span>

#include "support/token.h"

namespace redraft {

// The length of the longest common subsequence, which may have gaps. Takes a.size() * b.size() / 64
// steps.
int longest_common_subsequence(std::span<const TokenId> a, std::span<const TokenId> b);

}  // namespace redraft
