#include "workspace/completion/recent_snippets.h"

#include <algorithm>
#include <memory>

#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

// The number of lines shown before and after a recent change.
constexpr int kRecentLines = 6;
constexpr std::size_t kShownAnyway = 3000;  // bytes around the cursor

}  // namespace

std::string file_of(const std::string& uri) {
  const auto path = path_of_uri(uri);
  return path ? path->string() : uri;
}

std::vector<Snippet> recent_snippets(const OpenDocuments& documents, const std::string& uri,
                                     std::size_t offset) {
  std::vector<Snippet> snippets;
  for (const OpenDocuments::RecentPlace& place : documents.recent_places()) {
    const std::shared_ptr<const Document> document = documents.find(place.uri);
    const std::size_t distance = std::max(place.offset, offset) - std::min(place.offset, offset);
    if (!document || (place.uri == uri && distance < kShownAnyway)) continue;
    const LineIndex& lines = document->lines();
    const int line = lines.line_of(std::min(place.offset, document->text().size()));
    const std::size_t begin = lines.start(std::max(line - kRecentLines, 0));
    const std::size_t end = lines.start(std::min(line + kRecentLines + 1, lines.line_count()));
    snippets.push_back(
        {.file = file_of(place.uri), .text = document->text().substr(begin, end - begin)});
  }
  return snippets;
}

}  // namespace redraft
