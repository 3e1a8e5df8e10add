#pragma once

#include <functional>
#include <memory>

#include "workspace/documents/document.h"
#include "workspace/documents/text_edit.h"

namespace redraft {

// What follows from a change without asking a model.
struct CertainEdit {
  std::shared_ptr<const Document> document;
  TextEdit edit;  // of whole lines, one after the other
};

// Whether the user has turned an edit down; may be empty.
using IsUnwanted = std::function<bool(const Document&, const TextEdit&)>;

}  // namespace redraft
