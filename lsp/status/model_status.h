#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsp/wire/connection.h"
#include "lsp/wire/progress.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Tells the client about the model: progress while it is loaded, a message when loading fails or
// the model is not the one requested, and its state on request (StatusReport sends it). Main
// thread.
class ModelStatus {
 public:
  // `on_change` runs when the state changes.
  ModelStatus(std::shared_ptr<Connection> connection, std::function<void()> on_change)
      : connection_(std::move(connection)), on_change_(std::move(on_change)) {}

  void set_capabilities(const ClientCapabilities& capabilities) { capabilities_ = capabilities; }
  // Called by the Workspace.
  void on_engine(const EngineStatus& status);
  // The model is not available, and the user has been told why. Each reason is shown once;
  // otherwise every keystroke that triggers a completion would show it again.
  bool told_failure() const { return told_failure_; }
  // The model's part of the result of `redraft/status`.
  Json json() const;
  // Why there is no model now, or why it is not the requested one, as sentences.
  std::vector<std::string> reasons() const;

 private:
  // The loading progress of an additional model, and what the user was told about it.
  struct Beside {
    std::shared_ptr<WorkDoneProgress> progress = {};
    std::string told_error = {};
    std::string told_fault = {};
  };

  bool follow_beside(const std::vector<EngineStatus::Beside>& now);
  void follow_beside(const EngineStatus::Beside& before, const EngineStatus::Beside& now,
                     Beside& shown);
  void show_notice(const std::string& notice);
  void show_fault(const std::string& text, std::string& told);

  std::shared_ptr<Connection> connection_;
  std::function<void()> on_change_;
  ClientCapabilities capabilities_;
  EngineStatus status_;
  std::shared_ptr<WorkDoneProgress> progress_;
  std::string last_failure_;
  bool told_failure_ = false;
  std::string told_notice_;
  std::string told_fault_;
  std::vector<Beside> beside_;
};

}  // namespace redraft::lsp
