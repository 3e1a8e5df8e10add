#pragma once

#include <span>
#include <vector>

#include "indexing/store/index_snapshot.h"
#include "support/token.h"

namespace redraft {

// A datastore that is built in one step and held in memory: eight bytes per token. A few million
// tokens take seconds to build and microseconds to search.
class MemoryDatastore : public IndexSnapshot {
 public:
  // Token ids are >= 0; texts and tokens together are fewer than 2^31. A text may be empty.
  explicit MemoryDatastore(std::span<const std::vector<TokenId>> texts);
};

}  // namespace redraft
