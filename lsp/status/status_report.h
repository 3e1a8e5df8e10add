#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsp/status/model_status.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"

namespace redraft::lsp {

// What `redraft/status` answers and `$/redraft/status` tells: the model's state, and in plain
// sentences what is off and why. Whoever can be off adds a source of reasons. Main thread.
class StatusReport {
 public:
  using Reasons = std::vector<std::string>;
  // Appends what is off now; sentences for the user that name the setting to change, if there is
  // one.
  using Source = std::function<void(Reasons& reasons)>;

  StatusReport(std::shared_ptr<Connection> connection, const ModelStatus& model)
      : connection_(std::move(connection)), model_(model) {}

  void add(Source source) { sources_.push_back(std::move(source)); }
  // From now on there is somebody to tell.
  void begin(const ClientCapabilities& capabilities);
  // Tells the client, if it takes `$/redraft/status`.
  void tell();
  // The same if anything is different from what it heard last, or from what was so in the
  // beginning.
  void tell_changes();

  // What request and notification have in common.
  Json json() const;

 private:
  std::shared_ptr<Connection> connection_;
  const ModelStatus& model_;
  std::vector<Source> sources_;
  bool client_listens_ = false;
  Json told_;
};

}  // namespace redraft::lsp
