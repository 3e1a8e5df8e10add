#pragma once

#include "decoding/draft_tree.h"
#include "indexing/store/datastore.h"

namespace redraft {

// The continuations found in one store, and the weight of each occurrence there, >= 0.
struct WeighedContinuations {
  Continuations found;
  double weight = 1;
};

// Merges the continuations from up to two stores into one draft: a trie whose nodes are weighted by
// their occurrences, cut to the `most` heaviest nodes. Among equally heavy nodes it prefers those
// near the root, then those with lower tokens.
DraftTree retrieval_tree(const WeighedContinuations& first, const WeighedContinuations& second,
                         int most, DraftOrigin origin);

}  // namespace redraft
