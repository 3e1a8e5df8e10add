#pragma once

#include <cstdint>

namespace redraft {

// An index into a model's vocabulary. 32 bits: Qwen's has 151,936 entries.
using TokenId = std::int32_t;

}  // namespace redraft
