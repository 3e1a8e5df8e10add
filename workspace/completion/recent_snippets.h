#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workspace/documents/open_documents.h"
#include "workspace/snippets/snippets.h"

namespace redraft {

// The path of a document that is a file, otherwise its URI.
std::string file_of(const std::string& uri);

// The text around recent changes, except changes that a prompt for a completion at `offset` of
// document `uri` shows anyway.
std::vector<Snippet> recent_snippets(const OpenDocuments& documents, const std::string& uri,
                                     std::size_t offset);

}  // namespace redraft
