#include "workspace/index/index_slot.h"

#include <string>
#include <utility>

#include "support/named_thread.h"

namespace redraft {

void IndexSlot::start(RepositoryIndexer::MakeIndex make_index, const OwnerPost& call,
                      std::function<void(const IndexStatus&)> on_status, bool watch) {
  drop();
  current_ = std::make_shared<const bool>(true);
  indexer_ = std::make_unique<RepositoryIndexer>(
      [ended = ended_, make_index = std::move(make_index), current = std::weak_ptr(current_)](
          std::string& message) -> Result<std::unique_ptr<WorkspaceIndex>> {
        if (ended.valid()) ended.wait();
        if (current.expired()) return Error("removed before it was opened");
        return make_index(message);
      },
      [call, on_status = std::move(on_status),
       current = std::weak_ptr(current_)](const IndexStatus& news) {
        call([on_status, current, news] {
          if (!current.expired()) on_status(news);
        });
      },
      RepositoryIndexer::Options{.watch = watch});
}

void IndexSlot::drop() {
  current_.reset();
  if (!indexer_) return;
  // An indexer that has not opened its index yet waits for the earlier ones. So the last one
  // dropped is the last to end.
  ended_ =
      run_named("redraft-close", [old = std::move(indexer_)]() mutable { old.reset(); }).share();
}

}  // namespace redraft
