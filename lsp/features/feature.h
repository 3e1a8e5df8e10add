// One thing that a client can request, in one place: its methods, the capabilities that announce
// it, its part of `redraft/status`, and how it follows settings.
//
// A feature registers during `initialize` and not earlier, because its capabilities depend on what
// the client can do. One piece of code registers a method and its capability, so that they stay
// together. Before `initialize` the server only handles `initialize` and `exit` anyway. A test
// finds methods without a capability and capabilities without a method
// (tests/lsp/features/feature_registry_test.cpp); it contains LSP's own table of both.
//
// A new feature, for example hovers, consists of
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
  // Appends which parts of this feature are off now, and why: sentences for the user that name the
  // setting to change, if there is one.
  virtual void add_reasons(Reasons& /*reasons*/) const {}
  // Adds this feature's part to the result of `redraft/status`.
  virtual void add_status(Json& /*status*/) const {}
};

}  // namespace redraft::lsp
