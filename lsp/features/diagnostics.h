#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

// Further diagnostics of a request are ignored.
inline constexpr std::size_t kMaxDiagnostics = 20;

// The instruction to fix these diagnostics: their lines and messages.
std::string fix_instruction(const std::vector<Diagnostic>& diagnostics, const Document& document);

// `instruction`, followed by the diagnostics that it does not mention.
std::string with_diagnostics(std::string instruction, std::vector<Diagnostic> diagnostics,
                             const Document& document);

}  // namespace redraft::lsp
