#pragma once

#include <functional>
#include <future>
#include <memory>

#include "support/owner_post.h"
#include "workspace/index/repository_indexer.h"

namespace redraft {

// A slot for one RepositoryIndexer, which can be removed or replaced while it works. Its owner's
// thread.
//
// An indexer ends at the next file and joins its threads, which may take a while, so it ends on a
// separate thread. The next one opens its index only after that: if two indexers shared a folder on
// disk, the later one could only read.
class IndexSlot {
 public:
  // `on_status` is called on the owner's thread, and never for an indexer that was removed.
  void start(RepositoryIndexer::MakeIndex make_index, const OwnerPost& call,
             std::function<void(const IndexStatus&)> on_status, bool watch);
  void drop();

  explicit operator bool() const { return indexer_ != nullptr; }
  RepositoryIndexer* operator->() const { return indexer_.get(); }

 private:
  std::shared_future<void> ended_;  // of the earlier indexers; invalid: there were none
  std::shared_ptr<const bool> current_;
  std::unique_ptr<RepositoryIndexer> indexer_;
};

}  // namespace redraft
