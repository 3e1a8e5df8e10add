#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lsp/wire/protocol.h"
#include "workspace/documents/document.h"

namespace redraft::lsp {

// More of one request are not looked at.
inline constexpr std::size_t kMaxDiagnostics = 20;

// The instruction to mend what they report: the lines and the messages.
std::string fix_instruction(const std::vector<Diagnostic>& diagnostics, const Document& document);

// `instruction` and those of the problems that it does not speak of.
std::string with_diagnostics(std::string instruction, std::vector<Diagnostic> diagnostics,
                             const Document& document);

}  // namespace redraft::lsp
