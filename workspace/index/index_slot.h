#pragma once

#include <functional>
#include <future>
#include <memory>

#include "support/owner_post.h"
#include "workspace/index/repository_indexer.h"

namespace redraft {

// Room for one RepositoryIndexer, which can be taken away or replaced while it works. Its owner's
// thread.
//
// An indexer ends at the next file and joins its threads, which may take a while: so it ends on a
// thread of its own. The next one opens its index once the one before is gone, because of two that
// share a folder on disk the later could only read.
class IndexSlot {
 public:
  // `on_status` is called on the owner's thread, and never about an indexer that was taken away.
  void start(RepositoryIndexer::MakeIndex make_index, const OwnerPost& call,
             std::function<void(const IndexStatus&)> on_status, bool watch);
  void drop();

  explicit operator bool() const { return indexer_ != nullptr; }
  RepositoryIndexer* operator->() const { return indexer_.get(); }

 private:
  std::shared_future<void> ended_;  // of the ones before; not valid: there was none
  std::shared_ptr<const bool> current_;
  std::unique_ptr<RepositoryIndexer> indexer_;
};

}  // namespace redraft
