#include "workspace/documents/changed_document.h"

#include <utility>

#include "indexing/files/file_kind.h"
#include "workspace/documents/changing_text.h"
#include "workspace/documents/withheld.h"

namespace redraft {
namespace {

// The minimum size in bytes of removed pieces of text that are remembered.
constexpr std::size_t kMinRemoved = 16;
constexpr std::size_t kMaxRemoved = 1 << 16;

bool is_of_size_to_keep(const ByteRange& range) {
  return range.size() >= kMinRemoved && range.size() <= kMaxRemoved;
}

// Text that is cut in one place is often pasted in another. A piece with a secret is never kept.
std::vector<std::shared_ptr<const Document>> worth_remembering(std::vector<std::string> removed) {
  std::vector<std::shared_ptr<const Document>> kept;
  for (auto text = removed.rbegin(); text != removed.rend() && kept.size() < kRemovedPieces;
       ++text) {
    if (unwanted_text({}, *text, /*complete=*/true)) continue;
    // Fails if it was cut inside a character.
    if (auto piece = Document::make("removed", 0, std::move(*text))) kept.push_back(*piece);
  }
  return kept;
}

Error lies_outside(const std::string& uri, const ByteRange& range) {
  return Error(uri + ": a change of bytes " + std::to_string(range.begin) + "-" +
               std::to_string(range.end) + " is outside the text; reopen the document");
}

}  // namespace

Result<JudgedDocument> judged_document(std::string uri, std::int64_t version, std::string text,
                                       std::string language_id) {
  Result<std::shared_ptr<const Document>> document =
      Document::make(std::move(uri), version, std::move(text), std::move(language_id));
  if (!document) return document.error();
  return JudgedDocument{*document, withheld_by_text(**document)};
}

Result<ChangedDocument> changed_document(std::shared_ptr<const Document> before,
                                         std::int64_t version, const std::vector<TextEdit>& edits) {
  ChangedDocument result{.before = std::move(before)};
  ChangingText text(result.before->text());
  std::vector<std::string> removed;
  result.changes.reserve(edits.size());
  for (const TextEdit& edit : edits) {
    if (edit.range.begin > edit.range.end || edit.range.end > text.size())
      return lies_outside(result.before->uri(), edit.range);
    if (is_of_size_to_keep(edit.range))
      removed.push_back(text.substr(edit.range.begin, edit.range.size()));
    result.changes.push_back(apply_change(text, edit));
  }
  Result<std::shared_ptr<const Document>> after = result.before->changed(version, text.text());
  if (!after) return after.error();
  result.after = {*after, withheld_by_text(**after)};
  result.removed = worth_remembering(std::move(removed));
  return result;
}

}  // namespace redraft
