// One thing that a client can request, in one place: its methods, the capabilities that announce
// it, its part of `redraft/status`, and how it follows settings.
//
// Why a feature registers with `initialize` and not earlier: the capabilities to announce depend on
// what the client can do, and a method and its capability stay together only if the same lines
// register both. Before `initialize` only `initialize` itself and `exit` are served anyway. A test
// finds methods without a capability and capabilities without a method
// (tests/lsp/features/feature_registry_test.cpp); it has LSP's own table of both.
//
// What a new feature needs, for example hovers:
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
// and a line in the Server, which constructs it. The structs of the protocol are in lsp/wire.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace redraft::lsp {

class FeatureRegistry;
struct InitializeParams;
using Json = nlohmann::json;  // as in lsp/wire/json.h

// Main thread.
class Feature {
 public:
  using Reasons = std::vector<std::string>;

  Feature() = default;
  virtual ~Feature() = default;
  Feature(const Feature&) = delete;
  Feature& operator=(const Feature&) = delete;

  // Called once, with `initialize`; the settings in its initializationOptions are already in force.
  virtual void begin(const InitializeParams& params, FeatureRegistry& registry) = 0;
  // The settings may have changed.
  virtual void follow_settings() {}
  // Appends what is off now in this feature, and why: sentences for the user that name the setting
  // to change, if there is one.
  virtual void add_reasons(Reasons& /*reasons*/) const {}
  // Adds this feature's part to the result of `redraft/status`.
  virtual void add_status(Json& /*status*/) const {}
};

}  // namespace redraft::lsp
