#include "workspace/edit/edit_outcome.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "support/trace/trace.h"
#include "text/strings/blank_text.h"
#include "workspace/edit/character_doubts.h"
#include "workspace/edit/text_doubts.h"

namespace redraft {
namespace {

bool is_about_what_goes(const Doubt& doubt) {
  switch (doubt.kind) {
    case Doubt::Kind::kLost:
    case Doubt::Kind::kRenamed:
    case Doubt::Kind::kBranch:
    case Doubt::Kind::kRemoved:
      return true;
    default:
      return false;
  }
}

}  // namespace

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

std::vector<TextEdit> certain_edits_of(const std::vector<Hunk>& hunks) {
  std::vector<TextEdit> edits;
  for (const Hunk& hunk : hunks) {
    if (hunk.doubt.empty()) edits.push_back(hunk.edit);
  }
  return edits;
}

std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                const std::vector<Hunk>& hunks,
                                const std::vector<ByteRange>& regions, const OtherFiles& others) {
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
  std::vector<Doubt> doubts;
  const auto add = [&doubts](std::vector<Doubt> more) {
    std::ranges::move(more, std::back_inserter(doubts));
  };
  if (after) add(doubts_about({*before, *after, edits, instruction, others}));
  if (!says_lines) add(after ? doubts_about_lines(lines) : doubts_about_text(lines));
  add(doubts_about_characters(document.text(), edits));
  return doubts;
}

std::vector<Doubt> doubts_about(const Document& document, const std::string& instruction,
                                EditKind kind, const std::vector<Hunk>& hunks,
                                const OtherFiles& others) {
  std::vector<Doubt> doubts = doubts_about(document, instruction, hunks, {}, others);
  const auto is_on_purpose = [&](const Doubt& doubt) {
    if (kind == EditKind::kRename) return doubt.kind != Doubt::Kind::kSyntax;
    return is_about_what_goes(doubt) && std::ranges::all_of(doubt.edits, [&](int i) {
             return hunks[static_cast<std::size_t>(i)].origin.shows_removed;
           });
  };
  std::erase_if(doubts, is_on_purpose);
  return doubts;
}

EditResult result_of(const Document& document, const std::string& instruction,
                     const std::vector<TextEdit>& edits, EditKind kind,
                     const std::vector<ChangeOrigin>& origins, const OtherFiles& others) {
  EditResult result;
  result.kind = kind;
  const std::string& before = document.text();
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const ByteRange& range = edits[i].range;
    result.hunks.push_back({.id = static_cast<int>(i),
                            .edit = edits[i],
                            .old_text = before.substr(range.begin, range.size()),
                            .origin = origins.empty() ? ChangeOrigin() : origins[i]});
  }
  result.text = apply_edits(before, edits);
  result.doubts = doubts_about(document, instruction, kind, result.hunks, others);
  return result;
}

}  // namespace redraft
