#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lsp/features/client_versions.h"
#include "lsp/features/decoder_choice.h"
#include "lsp/features/feature.h"
#include "lsp/features/quiet.h"
#include "lsp/settings/configuration.h"
#include "lsp/status/taken_back.h"
#include "lsp/status/usage.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The commands with which a client reports what the user did with a next edit.
inline constexpr char kNextEditAcceptedCommand[] = "redraft.nextEditAccepted";
inline constexpr char kNextEditRejectedCommand[] = "redraft.nextEditRejected";

// Parameters of `redraft/nextEdit` and `textDocument/copilotInlineEdit`.
struct NextEditParams {
  std::string uri;
  std::optional<std::int64_t> version;
  bool in_files = false;    // the client can show edits of files that are not open
  bool invoked = false;     // the user requested it explicitly
  std::optional<int> line;  // the cursor's line
};
void from_json(const Json& json, NextEditParams& params);

// Answers requests for next edits. Main thread.
class NextEditFeed : public Feature {
 public:
  NextEditFeed(Workspace& workspace, const Configuration& configuration, DecoderChoice& decoder,
               Usage& usage, Quiet& quiet, TakenBack& taken_back, const ClientVersions& versions)
      : workspace_(workspace),
        configuration_(configuration),
        decoder_(decoder),
        usage_(usage),
        quiet_(quiet),
        taken_back_(taken_back),
        versions_(versions) {}

  void begin(const InitializeParams& params, FeatureRegistry& registry) override;
  void follow_settings() override;
  void add_reasons(Reasons& reasons) const override;
  void add_status(Json& status) const override;

 private:
  void next_edit(const NextEditParams& params, Reply reply);
  void accepted(const ExecuteCommandParams& params, const Reply& reply);
  void rejected(const ExecuteCommandParams& params, const Reply& reply);

  bool enabled() const { return configuration_.settings().next_edit.enabled; }
  // `argument` is {id, index}, as in an edit's command. Null if the edit does not belong to the
  // last answer.
  const TextEdit* edit_of(const Json& argument) const;
  // Why nothing should be proposed now; empty if nothing speaks against a proposal.
  std::string why_not_now(const NextEditParams& params, const Document* document);
  // Removes from an answer what is not proposed now; it is kept for the next request.
  void leave_out_line_just_left(const NextEditParams& params, NextEditAnswer& answer) const;
  Json result_of(const NextEditAnswer& answer);

  Workspace& workspace_;
  const Configuration& configuration_;
  DecoderChoice& decoder_;
  Usage& usage_;
  Quiet& quiet_;
  TakenBack& taken_back_;
  const ClientVersions& versions_;
  Encoding encoding_ = Encoding::kUtf16;
  std::string why_none_;
  bool expects_ = false;      // the client has requested next edits before
  std::int64_t last_id_ = 0;  // of the last answer with edits
  NextEditAnswer last_;
};

}  // namespace redraft::lsp
