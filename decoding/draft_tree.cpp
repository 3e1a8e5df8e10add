#include "decoding/draft_tree.h"

#include <cassert>

namespace redraft {

const char* to_string(DraftOrigin origin) {
  switch (origin) {
    case DraftOrigin::kReuse:
      return "reuse";
    case DraftOrigin::kCopy:
      return "copy";
    case DraftOrigin::kRetrieval:
      return "retrieval";
    case DraftOrigin::kCache:
      return "cache";
    case DraftOrigin::kModel:
      return "model";
    case DraftOrigin::kSubstitution:
      return "substitution";
    case DraftOrigin::kLayout:
      return "layout";
    case DraftOrigin::kRecycled:
      return "recycled";
    case DraftOrigin::kOther:
      break;
  }
  return "other";
}

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
