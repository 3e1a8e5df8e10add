#include "workspace/documents/document_origins.h"

#include <system_error>
#include <utility>

#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

namespace fs = std::filesystem;

fs::file_time_type time_of_file(const std::string& uri) {
  std::error_code error;
  const auto path = path_of_uri(uri);
  return path ? fs::last_write_time(*path, error)
              : fs::file_time_type::min();  // min() on an error, too
}

}  // namespace

DocumentOrigin file_origin(std::shared_ptr<const Document> document) {
  DocumentOrigin origin{.document = std::move(document)};
  origin.file_time = time_of_file(origin.document->uri());
  return origin;
}

bool is_changed(const Document& now, const DocumentOrigin& origin) {
  return origin.document.get() != &now && origin.document->text() != now.text();
}

void DocumentOrigins::open(std::shared_ptr<const Document> document) {
  const auto [origin, is_new] = origins_.try_emplace(document->uri());
  if (is_new) origin->second = file_origin(std::move(document));
}

void DocumentOrigins::change(const std::string& uri) {
  const auto origin = origins_.find(uri);
  if (origin == origins_.end() || origin->second.changed_at != fs::file_time_type::min()) return;
  origin->second.changed_at = fs::file_time_type::clock::now();
}

void DocumentOrigins::close(const Document& now) {
  const auto origin = origins_.find(now.uri());
  if (origin == origins_.end()) return;
  if (is_changed(now, origin->second) && changed_.size() < kMaxChanged) changed_.insert(now.uri());
  origins_.erase(origin);
}

void DocumentOrigins::begin_anew(const std::shared_ptr<const Document>& now) {
  origins_[now->uri()] = {.document = now};
  if (changed_.size() < kMaxChanged) changed_.insert(now->uri());
}

DocumentOrigin DocumentOrigins::of(const std::shared_ptr<const Document>& now) const {
  const auto found = origins_.find(now->uri());
  if (found == origins_.end()) return {.document = now, .is_first = false};
  DocumentOrigin origin = found->second;
  origin.is_first = changed_.size() < kMaxChanged && !changed_.contains(now->uri());
  return origin;
}

}  // namespace redraft
