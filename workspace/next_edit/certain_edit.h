#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// A follow-up of a change that does not need a model.
struct CertainEdit {
  std::shared_ptr<const Document> document;
  TextEdit edit;  // of whole, adjacent lines
};

// Several of them in one document, ascending.
struct TreeEdits {
  std::shared_ptr<const Document> document;  // null: there are no edits
  std::vector<TextEdit> edits;
};

// Whether the user has rejected an edit; may be empty.
using IsUnwanted = std::function<bool(const Document&, const TextEdit&)>;

}  // namespace redraft
