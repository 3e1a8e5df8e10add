#include "lsp/features/diagnostics.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "support/utf8/utf8.h"

namespace redraft::lsp {
namespace {

// Keeps a prompt small regardless of the file and its diagnostics. In bytes.
constexpr std::size_t kCodeLimit = 200;
constexpr std::size_t kMessageLimit = 1000;

std::string message_of(const Diagnostic& diagnostic) {
  return shortened(diagnostic.message, kMessageLimit);
}

std::string described(const Diagnostic& diagnostic, const Document& document) {
  const LineIndex& lines = document.lines();
  const int line = std::min(diagnostic.range.start.line, lines.line_count() - 1);
  const std::size_t begin = lines.start(line);
  const std::string_view code =
      std::string_view(document.text()).substr(begin, lines.content_end(line) - begin);
  return "in line " + std::to_string(line + 1) + " (`" + shortened(code, kCodeLimit) +
         "`): " + message_of(diagnostic);
}

}  // namespace

std::string fix_instruction(const std::vector<Diagnostic>& diagnostics, const Document& document) {
  if (diagnostics.size() == 1)
    return "Fix this problem " + described(diagnostics.front(), document);
  std::string text = "Fix these problems:";
  for (const Diagnostic& diagnostic : diagnostics) text += "\n- " + described(diagnostic, document);
  return text;
}

std::string with_diagnostics(std::string instruction, std::vector<Diagnostic> diagnostics,
                             const Document& document) {
  std::erase_if(diagnostics, [&](const Diagnostic& diagnostic) {
    return instruction.find(message_of(diagnostic)) != std::string::npos;
  });
  if (diagnostics.empty()) return instruction;
  const bool is_blank = instruction.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
  const std::string fix = fix_instruction(diagnostics, document);
  return is_blank ? fix : std::move(instruction) + "\n" + fix;
}

}  // namespace redraft::lsp
