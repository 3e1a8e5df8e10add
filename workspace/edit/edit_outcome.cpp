#include "workspace/edit/edit_outcome.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "support/trace/trace.h"
#include "text/strings/blank_text.h"
#include "workspace/edit/text_doubts.h"

namespace redraft {

const char* to_string(EditKind kind) {
  constexpr std::array kNames = {"certain change", "rename",  "region",
                                 "places",         "windows", "retry"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<TextEdit> edits_of(const std::vector<Hunk>& hunks) {
  std::vector<TextEdit> edits;
  for (const Hunk& hunk : hunks) edits.push_back(hunk.edit);
  return edits;
}

std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                const std::vector<Hunk>& hunks,
                                const std::vector<ByteRange>& regions) {
  const Span span("check syntax");
  if (hunks.empty()) return {};
  const std::vector<TextEdit> edits = edits_of(hunks);
  const auto text = std::make_shared<const std::string>(apply_edits(document.text(), edits));
  const std::string language = document.language();
  const TextEditInQuestion lines{document.text(), *text, edits, instruction, language, regions};
  const SyntaxTree* before = document.syntax();
  const std::optional<SyntaxTree> after = before == nullptr ? std::nullopt : before->edited(text);
  // A change without an instruction says itself which lines go.
  const bool says_lines = is_blank_text(instruction);
  if (!after) return says_lines ? std::vector<Doubt>() : doubts_about_text(lines);
  std::vector<Doubt> doubts = doubts_about({*before, *after, edits, instruction});
  if (says_lines) return doubts;
  for (Doubt& doubt : doubts_about_lines(lines)) doubts.push_back(std::move(doubt));
  return doubts;
}

EditResult result_of(const Document& document, const std::string& instruction,
                     const std::vector<TextEdit>& edits) {
  EditResult result;
  const std::string& before = document.text();
  for (const TextEdit& edit : edits) {
    const int id = static_cast<int>(result.hunks.size());
    result.hunks.push_back({id, edit, before.substr(edit.range.begin, edit.range.size())});
  }
  result.text = apply_edits(before, edits);
  result.doubts = doubts_about(document, instruction, result.hunks);
  return result;
}

}  // namespace redraft
