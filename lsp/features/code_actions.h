#pragma once

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

inline constexpr char kEditCommand[] = "redraft.edit";
inline constexpr char kCancelCommand[] = "redraft.cancel";
inline constexpr char kPromptCommand[] = "redraft.prompt";  // the client's own

// The scope of an edit for which only the cursor's place is known.
inline constexpr char kAutomaticScope[] = "auto";

// The answer to textDocument/codeAction: ready-made instructions for the selection (without one for
// the definition at the cursor, or a small file as a whole), one for each diagnostic and, where the
// client can ask for one, an instruction of the user's own. What makes no sense in the document's
// language is disabled, with the reason, where the client shows that.
// In the form that the client can use: the command that starts a streamed edit, data to resolve
// later, or the command that applies the edit when it ends.
Json code_actions(const CodeActionParams& params, const Document& document,
                  const ClientCapabilities& client);

// The answer for a document that cannot be edited.
Json disabled_actions(const CodeActionParams& params, const std::string& reason,
                      const ClientCapabilities& client);

}  // namespace redraft::lsp
