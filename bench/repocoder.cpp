#include "bench/repocoder.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "languages/languages.h"
#include "text/strings/joined.h"
#include "text/strings/lines.h"

namespace redraft {
namespace {

constexpr std::size_t kMaxWindows = 10;  // that are shown

std::span<const std::string_view> last(std::span<const std::string_view> lines, std::size_t count) {
  return lines.last(std::min(count, lines.size()));
}

// The mark of a comment that ends with its line.
std::string_view comment_mark(std::string_view file) {
  const Language* const language = find_language(language_of(file));
  const bool is_hash = language != nullptr && !language->comments->empty() &&
                       language->comments->front().open == "#";
  return is_hash ? "# " : "// ";
}

std::string as_comments(std::string_view text, std::string_view mark) {
  std::string out;
  for (std::string_view line : lines_with_newlines(text)) {
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
    out.append(mark).append(line).append("\n");
  }
  return out;
}

}  // namespace

std::string second_query(std::string_view before, std::string_view written) {
  const std::vector<std::string_view> known = lines_with_newlines(before);
  std::string query =
      joined(last(known, RepositoryWindows::kLines - RepositoryWindows::kSlice), "");
  const std::vector<std::string_view> lines = lines_with_newlines(written);
  return query + joined(std::span(lines).first(
                            std::min<std::size_t>(lines.size(), RepositoryWindows::kSlice)),
                        "");
}

std::string windows_as_comments(std::span<const RepositoryWindow> most_alike_first,
                                std::string_view file, const Tokenizer& tokenizer,
                                std::size_t max_tokens) {
  const std::string_view mark = comment_mark(file);
  std::string all;
  std::size_t n_tokens = 0;
  for (const RepositoryWindow& window : most_alike_first) {
    std::string text(mark);
    text += "From " + window.file->path + ":\n" + as_comments(window.text, mark) + "\n";
    n_tokens += tokenizer.encode(text).size();
    if (n_tokens > max_tokens) break;
    all.insert(0, text);
  }
  return all;
}

Result<std::string> repocoder_text(
    const RepositoryWindows& windows, const Tokenizer& tokenizer, const RepoCoderPlace& place,
    const std::function<Result<std::string>(const std::string& beginning)>& write) {
  const auto found = [&](const std::string& query) {
    return windows_as_comments(windows.most_alike(query, place.file, kMaxWindows), place.file,
                               tokenizer, place.max_tokens);
  };
  const std::vector<std::string_view> known = lines_with_newlines(place.before);
  const Result<std::string> written =
      write(found(joined(last(known, RepositoryWindows::kLines), "")));
  if (!written) return written.error();
  return found(second_query(place.before, *written));
}

}  // namespace redraft
