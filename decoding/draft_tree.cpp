#include "decoding/draft_tree.h"

#include <cassert>

namespace redraft {

DraftTree DraftTree::chain(std::span<const TokenId> tokens, DraftOrigin origin) {
  DraftTree tree;
  for (const TokenId token : tokens) tree.add(token, tree.size() - 1, origin);
  return tree;
}

int DraftTree::add(TokenId token, int parent, DraftOrigin origin) {
  assert(parent >= -1 && parent < size());
  tokens_.push_back(token);
  parents_.push_back(parent);
  origins_.push_back(origin);
  return size() - 1;
}

int DraftTree::depth(int node) const {
  int ancestors = 0;
  for (int at = parents_[node]; at >= 0; at = parents_[at]) ++ancestors;
  return ancestors;
}

bool DraftTree::is_chain() const {
  for (int node = 0; node < size(); ++node) {
    if (parents_[node] != node - 1) return false;
  }
  return true;
}

}  // namespace redraft
