#pragma once

#include "lsp/protocol.h"
#include "workspace/document.h"

namespace redraft::lsp {

inline constexpr char kEditCommand[] = "redraft.edit";
inline constexpr char kCancelCommand[] = "redraft.cancel";
inline constexpr char kPromptCommand[] = "redraft.prompt";  // the client's own

// The answer to textDocument/codeAction: ready-made instructions for the selection (or the file),
// one for each diagnostic and, where the client can ask for one, an instruction of the user's own.
// In the form that the client can use: the command that starts a streamed edit, data to resolve
// later, or the command that applies the edit when it ends.
Json code_actions(const CodeActionParams& params, const Document& document,
                  const ClientCapabilities& client);

}  // namespace redraft::lsp
