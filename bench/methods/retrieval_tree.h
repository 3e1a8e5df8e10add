#pragma once

#include "decoding/draft_tree.h"
#include "indexing/store/datastore.h"

namespace redraft {

// What was found in one store, and how much each occurrence there counts, >= 0.
struct WeighedContinuations {
  Continuations found;
  double weight = 1;
};

// Merges what was found in up to two stores into one draft: a trie whose nodes are weighted by
// their occurrences, cut to the `most` heaviest nodes. Of equally heavy ones those near the root
// are kept, then those with lower tokens.
DraftTree retrieval_tree(const WeighedContinuations& first, const WeighedContinuations& second,
                         int most, DraftOrigin origin);

}  // namespace redraft
