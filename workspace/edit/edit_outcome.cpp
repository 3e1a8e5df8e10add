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

OtherFiles other_files(const EditRequest& request) {
  if (!request.definitions) return {};
  const auto defines = [index = request.definitions](const std::string& name) {
    return !index->definitions(name, 1).empty();
  };
  return {.defines = defines, .is_complete = request.are_definitions_complete};
}

std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                const std::vector<Hunk>& hunks, const OtherFiles& others) {
  const Span span("check syntax");
  const SyntaxTree* before = hunks.empty() ? nullptr : document.syntax();
  if (before == nullptr) return {};
  const std::vector<TextEdit> edits = edits_of(hunks);
  const auto text = std::make_shared<const std::string>(apply_edits(document.text(), edits));
  const std::optional<SyntaxTree> after = before->edited(text);
  if (!after) return {};
  return doubts_about({*before, *after, edits, instruction, others});
}

EditResult result_of(const Document& document, const std::string& instruction,
                     const std::vector<TextEdit>& edits, const OtherFiles& others) {
  EditResult result;
  const std::string& before = document.text();
  for (const TextEdit& edit : edits) {
    const int id = static_cast<int>(result.hunks.size());
    result.hunks.push_back({id, edit, before.substr(edit.range.begin, edit.range.size())});
  }
  result.text = apply_edits(before, edits);
  result.doubts = doubts_about(document, instruction, result.hunks, others);
  return result;
}

}  // namespace redraft
