#pragma once

#include <optional>

namespace redraft {

// The switches of the decoder `redraft`.
struct RedraftOptions {
  std::optional<int> max_nodes;  // most nodes of one pass; none: what they cost decides alone
};

}  // namespace redraft
