#pragma once

#include <optional>

namespace redraft {

// A chain has one guess for each position. It is for engines that cannot verify a tree.
enum class DraftShape { kTree, kChain };

// The switches of the decoder `redraft`.
struct RedraftOptions {
  std::optional<int> max_nodes = {};  // maximum per pass; nullopt: only their price limits them
  DraftShape shape = DraftShape::kTree;
};

}  // namespace redraft
