#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "indexing/files/skip_reason.h"
#include "support/result.h"
#include "workspace/documents/buffer_change.h"
#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// What OpenDocuments needs to know of a text, and what takes long to find out if the text is long.
// Making these values uses no state, so a server with other clients does it on another thread.

// A document, and whether its text is a reason to withhold it (see withheld.h).
struct JudgedDocument {
  std::shared_ptr<const Document> document;
  std::optional<SkipReason> withheld_text;
};
// Any thread. Errors are those of Document::make.
Result<JudgedDocument> judged_document(std::string uri, std::int64_t version, std::string text,
                                       std::string language_id);

// What a list of edits made of a document.
struct ChangedDocument {
  std::shared_ptr<const Document> before = {};
  JudgedDocument after = {};
  std::vector<BufferChange> changes = {};  // one for each edit, against the text it found
  // Removed pieces of text that are worth remembering, the latest first; at most kRemovedPieces.
  std::vector<std::shared_ptr<const Document>> removed = {};
};

// How many removed pieces of text are remembered.
inline constexpr std::size_t kRemovedPieces = 8;

// `edits` in the order given, each against the text that the previous one left. Takes about as long
// as the text and the edits are long together. Any thread. The error says what is wrong with a
// range or the new text.
Result<ChangedDocument> changed_document(std::shared_ptr<const Document> before,
                                         std::int64_t version, const std::vector<TextEdit>& edits);

}  // namespace redraft
