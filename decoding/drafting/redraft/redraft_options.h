#pragma once

#include <optional>

namespace redraft {

// A chain has one guess for each place. It is for engines that cannot verify a tree.
enum class DraftShape { kTree, kChain };

// The switches of the decoder `redraft`.
struct RedraftOptions {
  std::optional<int> max_nodes = {};  // the most nodes of one pass; none: their price alone decides
  DraftShape shape = DraftShape::kTree;
};

}  // namespace redraft
