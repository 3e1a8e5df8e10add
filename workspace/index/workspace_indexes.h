#pragma once

#include <memory>
#include <string>

#include "indexing/store/datastore.h"
#include "workspace/documents/document.h"
#include "workspace/index/index_slot.h"

namespace redraft {

// The indexes that drafts and snippets for one workspace come from. Its owner's thread.
struct WorkspaceIndexes {
  IndexSlot repository;  // of the workspace's folders; empty: there is none
  IndexSlot common;      // of code of other projects; likewise

  // A buffer replaces the file as long as it is open. Null: it is not open any more.
  void set_buffer(const std::string& uri, std::shared_ptr<const Document> document);
  // The repository but for this file. Null if there is no such index.
  std::shared_ptr<const IndexSnapshot> repository_without(const std::string& uri) const;
  // Null while nothing is read: an empty store would displace the repository in a decoder that uses
  // only one.
  std::shared_ptr<const Datastore> common_code() const;
};

}  // namespace redraft
