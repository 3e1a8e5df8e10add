#include "lsp/features/client_versions.h"

#include <limits>

namespace redraft::lsp {

void ClientVersions::follow(const Document& now, std::optional<std::int64_t> sent) {
  const auto other = others_.find(now.uri());
  if (sent == now.version()) {
    if (other != others_.end()) others_.erase(other);
  } else if (sent || other == others_.end()) {
    others_[now.uri()] = sent;
  }
}

bool ClientVersions::is_current(const Document& now, std::int64_t named) const {
  if (named == now.version()) return true;
  const auto other = others_.find(now.uri());
  return other != others_.end() && other->second == named;
}

Json ClientVersions::of(const Document& now) const {
  return others_.contains(now.uri()) ? Json() : Json(now.version());
}

std::optional<std::int64_t> next_version(std::int64_t current, std::optional<std::int64_t> sent) {
  if (sent && *sent > current) return sent;
  if (current == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return current + 1;
}

}  // namespace redraft::lsp
