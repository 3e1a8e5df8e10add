#pragma once

#include <string>
#include <vector>

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

inline constexpr char kEditCommand[] = "redraft.edit";
// The command that applies a change which another assistant wrote.
inline constexpr char kApplyCommand[] = "redraft.apply";
inline constexpr char kCancelCommand[] = "redraft.cancel";
// A command of the client, not of the server.
inline constexpr char kPromptCommand[] = "redraft.prompt";

// The scope of an edit for which only the cursor position is known.
inline constexpr char kAutomaticScope[] = "auto";

// An edit that a client can make at once.
struct OfferedEdit {
  std::string title;
  Json edit;  // a WorkspaceEdit
};

// Answers textDocument/codeAction: `offered`, ready-made instructions for the selection (or for the
// region around the cursor), one action for each diagnostic, and one that asks the user for an
// instruction. A client that cannot prompt gets the instruction in a comment there instead. Actions
// that make no sense in the document's language are disabled, with the reason, if the client shows
// disabled actions. Each action has a form that the client can use: a command that starts a
// streamed edit, a command that applies the edit when it ends, or data to resolve later.
Json code_actions(const CodeActionParams& params, const Document& document,
                  const ClientCapabilities& client, const std::vector<OfferedEdit>& offered);

// The answer for a document that cannot be edited.
Json disabled_actions(const CodeActionParams& params, const std::string& reason,
                      const ClientCapabilities& client);

}  // namespace redraft::lsp
