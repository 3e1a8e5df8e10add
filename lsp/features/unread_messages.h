#pragma once

#include <memory>
#include <set>
#include <string>

#include "lsp/wire/connection.h"
#include "lsp/wire/framing.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Handles messages that were too long to be read or have too many values. A request is answered
// with an error. A document whose text was lost is dropped until it is opened again, and the user
// is told why, once. Everything else continues. Main thread.
class UnreadMessages {
 public:
  UnreadMessages(std::shared_ptr<Connection> connection, Workspace& workspace)
      : connection_(std::move(connection)), workspace_(workspace) {}

  // `serving`: the client has sent `initialize` but not yet `shutdown`.
  void take(const UnreadMessage& message, bool serving);

 private:
  void take_notification(const UnreadMessage& message);

  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  std::set<std::string> told_;  // URIs of documents; "" for messages about none
};

}  // namespace redraft::lsp
