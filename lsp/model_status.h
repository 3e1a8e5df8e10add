#pragma once

#include <memory>
#include <utility>

#include "lsp/connection.h"
#include "lsp/progress.h"
#include "lsp/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// What the client is told about the model: progress while it is loaded, a message when that fails,
// its state at any time. Main thread.
class ModelStatus {
 public:
  explicit ModelStatus(std::shared_ptr<Connection> connection)
      : connection_(std::move(connection)) {}

  void set_capabilities(const ClientCapabilities& capabilities) { capabilities_ = capabilities; }
  // From the Workspace.
  void on_engine(const EngineStatus& status);
  // The user has been told why the model is not there.
  bool failed() const { return status_.state == EngineStatus::State::kFailed; }
  // The result of `redraft/status`.
  Json json() const;

 private:
  std::shared_ptr<Connection> connection_;
  ClientCapabilities capabilities_;
  EngineStatus status_;
  std::shared_ptr<WorkDoneProgress> progress_;
};

}  // namespace redraft::lsp
