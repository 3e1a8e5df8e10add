#pragma once

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

inline constexpr char kEditCommand[] = "redraft.edit";
// The same for what another assistant wrote.
inline constexpr char kApplyCommand[] = "redraft.apply";
inline constexpr char kCancelCommand[] = "redraft.cancel";
// A command of the client, not of the server.
inline constexpr char kPromptCommand[] = "redraft.prompt";

// The scope of an edit for which only the cursor's place is known.
inline constexpr char kAutomaticScope[] = "auto";

// The answer to textDocument/codeAction: ready-made instructions for the selection (or, without
// one, for the region around the cursor), one for each diagnostic and, if the client can prompt the
// user, one for an instruction of the user's own; otherwise for the instruction in a comment there.
// Actions that make no sense in the document's language are disabled, with the reason, if the
// client shows disabled actions.
// Each has the form that the client can use: the command that starts a streamed edit, the command
// that applies the edit when it ends, or data to resolve later.
Json code_actions(const CodeActionParams& params, const Document& document,
                  const ClientCapabilities& client);

// The answer for a document that cannot be edited.
Json disabled_actions(const CodeActionParams& params, const std::string& reason,
                      const ClientCapabilities& client);

}  // namespace redraft::lsp
