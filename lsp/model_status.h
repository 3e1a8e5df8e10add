#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lsp/connection.h"
#include "lsp/progress.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Whether the model is loaded, and what the client is told about it.
class ModelStatus {
 public:
  enum class State { kUnloaded, kLoading, kReady, kFailed };

  ModelStatus(std::shared_ptr<Connection> connection, Workspace::Post post)
      : connection_(std::move(connection)), post_(std::move(post)) {}

  void set_capabilities(const ClientCapabilities& capabilities) { capabilities_ = capabilities; }
  // `make_engine`, watched: may be called on any thread, as long as this lives.
  Workspace::EngineFactory watch(Workspace::EngineFactory make_engine);

  State state() const { return state_; }
  // The result of `redraft/status`.
  Json json() const;

 private:
  void loading();
  void ready(std::string target, std::string draft);
  void failed(std::string error);
  void changed(State state);

  std::shared_ptr<Connection> connection_;
  Workspace::Post post_;
  ClientCapabilities capabilities_;
  State state_ = State::kUnloaded;
  std::string target_;
  std::string draft_;
  std::string error_;
  std::shared_ptr<WorkDoneProgress> progress_;
};

}  // namespace redraft::lsp
