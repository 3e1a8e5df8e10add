#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "lsp/wire/json.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

// The versions of documents as the client counts them. redraft's own versions rise with every
// change, because its snapshots and hunks rely on that. Most clients count the same way. Some send
// the same version with every change, a lower one or none; their texts and ranges are right all the
// same, because messages keep their order. Requests of such a client name its own version, and it
// would refuse an edit for a version that it has never sent. Main thread.
class ClientVersions {
 public:
  // The client opened or changed a document, whose text is `now`. `sent`: the version it named.
  void follow(const Document& now, std::optional<std::int64_t> sent);
  void forget(const std::string& uri) { others_.erase(uri); }

  // Whether a request for the version `named` means `now`, the document's current text.
  bool is_current(const Document& now, std::int64_t named) const;
  // The version for a WorkspaceEdit: null if the client counts otherwise.
  Json of(const Document& now) const;

 private:
  // By URI, for clients that count otherwise: the version that the client named last.
  std::map<std::string, std::optional<std::int64_t>> others_;
};

// The version after a change that the client calls `sent`; nullopt: there is no higher number.
std::optional<std::int64_t> next_version(std::int64_t current, std::optional<std::int64_t> sent);

}  // namespace redraft::lsp
