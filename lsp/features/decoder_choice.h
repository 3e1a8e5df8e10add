#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "decoding/statistics.h"
#include "lsp/features/feature.h"
#include "lsp/settings/configuration.h"
#include "lsp/wire/connection.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// Workspace::check_decoder(), with an error that says how to start a server with a draft model.
Result<void> check_decoder(const Workspace& workspace, const DecoderName& decoder);

// Which decoder this client's requests run, by the setting `decoder`, and what became of it: the
// part `decoder` of `redraft/status`. A name that cannot be used is reported once, and the default
// is used instead. Main thread.
class DecoderChoice : public Feature {
 public:
  DecoderChoice(std::shared_ptr<Connection> connection, Workspace& workspace,
                const Configuration& configuration)
      : connection_(std::move(connection)), workspace_(workspace), configuration_(configuration) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  void follow_settings() override;
  void add_reasons(Reasons& reasons) const override;
  void add_status(Json& status) const override;

  // Adds the statistics of one decode of this client.
  void count(const DecodeStatistics& decode);

 private:
  std::shared_ptr<Connection> connection_;
  Workspace& workspace_;
  const Configuration& configuration_;
  std::string problem_;  // why the setting is ignored; empty if it is in force
  std::int64_t new_tokens_ = 0;
  std::int64_t from_draft_model_ = 0;  // those of them that the draft model guessed
};

}  // namespace redraft::lsp
