#include "workspace/index/workspace_indexes.h"

#include <filesystem>
#include <utility>

#include "workspace/documents/file_uri.h"

namespace redraft {

void WorkspaceIndexes::set_buffer(const std::string& uri,
                                  std::shared_ptr<const Document> document) {
  const auto path = repository ? path_of_uri(uri) : std::nullopt;
  if (!path) return;
  if (document) {
    repository->set_buffer(*path, std::move(document));
  } else {
    repository->close_buffer(*path);
  }
}

std::shared_ptr<const IndexSnapshot> WorkspaceIndexes::repository_without(
    const std::string& uri) const {
  if (!repository) return nullptr;
  return repository->snapshot(path_of_uri(uri).value_or(std::filesystem::path()));
}

bool WorkspaceIndexes::is_repository_complete() const {
  return repository && repository->is_complete();
}

std::shared_ptr<const Datastore> WorkspaceIndexes::common_code() const {
  std::shared_ptr<const Datastore> code = common ? common->snapshot({}) : nullptr;
  return code && code->token_count() > 0 ? code : nullptr;
}

}  // namespace redraft
