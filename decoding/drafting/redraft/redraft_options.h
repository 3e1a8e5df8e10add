#pragma once

#include <optional>

namespace redraft {

// The switches of the decoder `redraft`.
struct RedraftOptions {
  std::optional<int> max_nodes;  // the most nodes of one pass; none: their price alone decides
};

}  // namespace redraft
