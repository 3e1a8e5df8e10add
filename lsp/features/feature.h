// One thing that a client can ask for, in one place: its methods, the capabilities by which a
// client knows of them, what it says of itself in `redraft/status`, and how it follows settings.
//
// Why registration happens with `initialize` and not before: which capabilities are announced
// depends on what the client can do, and a method stands beside its capability only if both are
// registered by the same lines. Before `initialize` nothing but itself and `exit` is served anyway.
// A method whose capability is missing, and a capability that nothing answers, are found by a test
// (tests/lsp/features/feature_registry_test.cpp), which knows LSP's own table of both.
//
// What a new feature takes, by the example of hovers:
//
//   class Hovers : public Feature {
//    public:
//     void begin(const InitializeParams& params, FeatureRegistry& registry) override {
//       encoding_ = params.capabilities.encoding;
//       registry.on("textDocument/hover", this, &Hovers::hover);
//       registry.announce("hoverProvider", true);
//     }
//    private:
//     void hover(const HoverParams& params, Reply reply);
//   };
//
// and a line in the Server, which makes it. What it reads of the protocol is in lsp/wire.
#pragma once

#include "lsp/features/feature_registry.h"
#include "lsp/status/status_report.h"
#include "lsp/wire/json.h"
#include "lsp/wire/protocol.h"

namespace redraft::lsp {

// Main thread.
class Feature {
 public:
  Feature() = default;
  virtual ~Feature() = default;
  Feature(const Feature&) = delete;
  Feature& operator=(const Feature&) = delete;

  // With `initialize`, once; settings of the initializationOptions are in force already.
  virtual void begin(const InitializeParams& params, FeatureRegistry& registry) = 0;
  // The settings were other ones, or may have been.
  virtual void follow_settings() {}
  // Appends what of it is off now, and why: sentences for the user that name the setting to change,
  // if there is one.
  virtual void add_reasons(StatusReport::Reasons& /*reasons*/) const {}
  // Adds its part of the result of `redraft/status`.
  virtual void add_status(Json& /*status*/) const {}
};

}  // namespace redraft::lsp
