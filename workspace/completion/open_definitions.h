#pragma once

#include <memory>
#include <span>
#include <vector>

#include "text/tokenizer.h"
#include "workspace/documents/document.h"
#include "workspace/snippets/snippets.h"

namespace redraft {

// A substitute for find_snippets() without an index: the beginnings of the definitions of names
// around the cursor, from other open documents (`open`, the most recent first). The most helpful
// comes last. Parses documents that are not parsed yet; any thread.
std::vector<Snippet> open_definitions(std::span<const std::shared_ptr<const Document>> open,
                                      const Tokenizer& tokenizer, const SnippetQuery& query);

}  // namespace redraft
