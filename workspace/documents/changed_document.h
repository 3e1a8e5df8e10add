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

// The facts that OpenDocuments needs about a text, which take long to compute for a long text.
// Computing them uses no state, so a server with several clients does it on another thread.

// A document, and whether its text is a reason to withhold it (see withheld.h).
struct JudgedDocument {
  std::shared_ptr<const Document> document;
  std::optional<SkipReason> withheld_text;
};
// Any thread. Errors are those of Document::make.
Result<JudgedDocument> judged_document(std::string uri, std::int64_t version, std::string text,
                                       std::string language_id);

// The result of applying a list of edits to a document.
struct ChangedDocument {
  std::shared_ptr<const Document> before = {};
  JudgedDocument after = {};
  std::vector<BufferChange> changes =
      {};  // one for each edit, relative to the text before that edit
  // Removed pieces of text that are worth remembering, the latest first; at most kRemovedPieces.
  std::vector<std::shared_ptr<const Document>> removed = {};
};

// The number of removed pieces of text that are remembered.
inline constexpr std::size_t kRemovedPieces = 8;

// Applies `edits` in the order given, each to the text that the previous one left. Takes time
// proportional to the length of the text and the edits together. Any thread. The error says what is
// wrong with a range or the new text.
Result<ChangedDocument> changed_document(std::shared_ptr<const Document> before,
                                         std::int64_t version, const std::vector<TextEdit>& edits);

}  // namespace redraft
