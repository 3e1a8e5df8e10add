#include "lsp/status/status_report.h"

#include "lsp/status/model_status.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"

namespace redraft::lsp {

void StatusReport::begin(const ClientCapabilities& capabilities) {
  client_listens_ = capabilities.streamed_edits;
  told_ = json();
}

void StatusReport::tell() {
  if (!client_listens_) return;
  told_ = json();
  connection_->notify("$/redraft/status", told_);
}

void StatusReport::tell_changes() {
  if (json() != told_) tell();
}

Json StatusReport::json() const {
  Reasons reasons = model_.reasons();
  for (const Source& source : sources_) source(reasons);
  Json status = model_.json();
  status["reasons"] = std::move(reasons);
  return status;
}

}  // namespace redraft::lsp
