#pragma once

#include <memory>
#include <span>
#include <utility>

#include "bench/methods/retrieval_options.h"
#include "decoding/draft_source.h"
#include "indexing/store/datastore.h"

namespace redraft {

// REST: the continuations of the longest end of the context that a datastore contains, as a tree of
// their most frequent beginnings.
class RestSource : public DraftSource {
 public:
  // Without a store (null) there are no drafts.
  RestSource(std::shared_ptr<const Datastore> store, const RetrievalOptions& options);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  std::shared_ptr<const Datastore> store_;
  RetrievalOptions options_;
};

}  // namespace redraft
