#pragma once

#include <memory>
#include <string>

#include "indexing/store/datastore.h"
#include "workspace/documents/document.h"
#include "workspace/index/index_slot.h"

namespace redraft {

// The indexes that supply drafts and snippets for one workspace. Its owner's thread.
struct WorkspaceIndexes {
  IndexSlot repository;  // of the workspace's folders; may be empty
  IndexSlot common;      // of code of other projects; may be empty

  // The buffer replaces the file as long as it is open. Null: it was closed.
  void set_buffer(const std::string& uri, std::shared_ptr<const Document> document);
  // The repository without this file. Null if there is no such index.
  std::shared_ptr<const IndexSnapshot> repository_without(const std::string& uri) const;
  // Whether all files of the repository have been read.
  bool is_repository_complete() const;
  // Null until something is read: an empty store would displace the repository in a decoder that
  // only uses one.
  std::shared_ptr<const Datastore> common_code() const;
};

}  // namespace redraft
