#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lsp/status/usage.h"
#include "lsp/wire/connection.h"
#include "lsp/wire/protocol.h"
#include "workspace/workspace.h"

namespace redraft::lsp {

// The commands by which a client tells what became of a next edit.
inline constexpr char kNextEditAcceptedCommand[] = "redraft.nextEditAccepted";
inline constexpr char kNextEditRejectedCommand[] = "redraft.nextEditRejected";

// Of `redraft/nextEdit` and `textDocument/copilotInlineEdit`.
struct NextEditParams {
  std::string uri;
  std::optional<std::int64_t> version;
};
void from_json(const Json& json, NextEditParams& params);

// Answers requests for next edits. Main thread.
class NextEditFeed {
 public:
  NextEditFeed(Workspace& workspace, Usage& usage) : workspace_(workspace), usage_(usage) {}
  void set_encoding(Encoding encoding) { encoding_ = encoding; }
  void set_enabled(bool enabled) { enabled_ = enabled; }

  void next_edit(const NextEditParams& params, Reply reply);
  // `argument` is what the edit's command carries: {id, index}.
  void decided(const Json& argument, bool accepted);

  // Part of the result of `redraft/status`.
  Json json() const;

 private:
  Json result_of(const NextEditAnswer& answer);

  Workspace& workspace_;
  Usage& usage_;
  Encoding encoding_ = Encoding::kUtf16;
  bool enabled_ = true;
  std::string why_none_;
  std::int64_t last_id_ = 0;  // of an answer with edits
  NextEditAnswer last_;
};

}  // namespace redraft::lsp
