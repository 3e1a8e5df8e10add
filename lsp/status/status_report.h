#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lsp/wire/json.h"

namespace redraft::lsp {

struct ClientCapabilities;
class Connection;
class ModelStatus;

// The answer to `redraft/status` and the content of `$/redraft/status`: the model's state, and in
// plain sentences what is off and why. Each part that can be off adds a source of reasons. Main
// thread.
class StatusReport {
 public:
  using Reasons = std::vector<std::string>;
  // Appends what is off now: sentences for the user that name the setting to change, if there is
  // one.
  using Source = std::function<void(Reasons& reasons)>;

  StatusReport(std::shared_ptr<Connection> connection, const ModelStatus& model)
      : connection_(std::move(connection)), model_(model) {}

  void add(Source source) { sources_.push_back(std::move(source)); }
  // From now on there is a client to notify.
  void begin(const ClientCapabilities& capabilities);
  // Notifies the client, if it supports `$/redraft/status`.
  void tell();
  // Notifies it if the report differs from the last one sent or, before that, from the initial one.
  void tell_changes();

  // The members that request and notification share.
  Json json() const;

 private:
  std::shared_ptr<Connection> connection_;
  const ModelStatus& model_;
  std::vector<Source> sources_;
  bool client_listens_ = false;
  Json told_;
};

}  // namespace redraft::lsp
