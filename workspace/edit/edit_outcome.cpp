#include "workspace/edit/edit_outcome.h"

#include <array>
#include <memory>
#include <optional>

#include "support/trace/trace.h"

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
                                const std::vector<Hunk>& hunks) {
  const Span span("check syntax");
  const SyntaxTree* before = hunks.empty() ? nullptr : document.syntax();
  if (before == nullptr) return {};
  const std::vector<TextEdit> edits = edits_of(hunks);
  const auto text = std::make_shared<const std::string>(apply_edits(document.text(), edits));
  const std::optional<SyntaxTree> after = before->edited(text);
  if (!after) return {};
  return doubts_about({*before, *after, edits, instruction});
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
