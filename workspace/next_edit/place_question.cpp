#include "workspace/next_edit/place_question.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "workspace/documents/edit_region.h"
#include "workspace/documents/file_uri.h"

namespace redraft {
namespace {

// The number of lines around a change in its hunk.
constexpr int kLinesAround = 3;

std::string shown_path(const std::string& uri, const std::vector<std::filesystem::path>& folders) {
  const auto path = path_of_uri(uri);
  if (!path) return uri;
  for (const std::filesystem::path& folder : folders) {
    const std::filesystem::path relative = path->lexically_relative(folder);
    if (!relative.empty() && *relative.begin() != "..") return relative.generic_string();
  }
  return path->filename().string();
}

std::vector<std::string> copied(const std::vector<std::string_view>& lines, int begin, int end) {
  const int count = static_cast<int>(lines.size());
  begin = std::clamp(begin, 0, count);
  end = std::clamp(end, begin, count);
  return {lines.begin() + begin, lines.begin() + end};
}

}  // namespace

Result<NextEditPrompt> prompt_about(const NextPlace& place, const std::vector<RecentChange>& recent,
                                    const std::vector<std::filesystem::path>& folders,
                                    const NextEditFormat& format) {
  const Result<EditRegion> file = EditRegion::make(place.document, EditScope::kFile, {});
  if (!file) return file.error();
  NextEditQuestion question{.path = shown_path(place.document->uri(), folders),
                            .lines = file->lines()};
  const int line = place.line < 0 ? (place.first_line + place.end_line) / 2 : place.line;
  question.cursor_line =
      std::clamp(line, 0, std::max(0, static_cast<int>(file->lines().size()) - 1));
  if (!file->lines().empty()) {
    const std::string_view text = file->lines()[static_cast<std::size_t>(question.cursor_line)];
    question.cursor_column = std::min(text.find_first_not_of(" \t"), text.size());
  }
  for (const RecentChange& change : recent) {
    const Result<EditRegion> changed = EditRegion::make(change.document, EditScope::kFile, {});
    if (!changed) continue;
    question.changes.push_back(
        {.path = shown_path(change.document->uri(), folders),
         .line = change.line,
         .before = change.before,
         .after = change.after,
         .above = copied(changed->lines(), change.line - kLinesAround, change.line),
         .below = copied(changed->lines(), change.end_line(), change.end_line() + kLinesAround)});
  }
  return make_next_edit_prompt(format, question);
}

}  // namespace redraft
