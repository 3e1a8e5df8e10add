#pragma once

#include "decoding/draft_tree.h"
#include "indexing/store/datastore.h"

namespace redraft {

// What was found in one place, and what each occurrence counts there, >= 0.
struct WeighedContinuations {
  Continuations found;
  double weight = 1;
};

// One draft of what was found in up to two places: a trie whose nodes weigh what their occurrences
// count, cut to the `most` heaviest nodes. Of equally heavy ones those near the root stay, then
// those with lower tokens.
DraftTree retrieval_tree(const WeighedContinuations& first, const WeighedContinuations& second,
                         int most, DraftOrigin origin);

}  // namespace redraft
