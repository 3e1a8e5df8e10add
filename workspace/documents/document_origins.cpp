#include "workspace/documents/document_origins.h"

#include <utility>

namespace redraft {

void DocumentOrigins::open(std::shared_ptr<const Document> document) {
  std::string uri = document->uri();
  origins_.try_emplace(std::move(uri), std::move(document));
}

void DocumentOrigins::close(const Document& now) {
  const auto origin = origins_.find(now.uri());
  if (origin == origins_.end()) return;
  if (origin->second->text() != now.text() && changed_.size() < kMaxChanged)
    changed_.insert(now.uri());
  origins_.erase(origin);
}

void DocumentOrigins::begin_anew(const std::shared_ptr<const Document>& now) {
  origins_[now->uri()] = now;
  if (changed_.size() < kMaxChanged) changed_.insert(now->uri());
}

DocumentOrigin DocumentOrigins::of(const std::shared_ptr<const Document>& now) const {
  const auto origin = origins_.find(now->uri());
  if (origin == origins_.end()) return {now, false};
  return {origin->second, changed_.size() < kMaxChanged && !changed_.contains(now->uri())};
}

}  // namespace redraft
