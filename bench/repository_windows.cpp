#include "bench/repository_windows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/strings/lines.h"

namespace redraft {
namespace {

void make_set(std::vector<TokenId>& tokens) {
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

// Line by line, so that a line has the same tokens wherever it stands. Blanks around it say
// nothing.
std::vector<TokenId> tokens_of_line(std::string_view line, const Tokenizer& tokenizer) {
  const std::size_t first = line.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return tokenizer.encode(line.substr(first, line.find_last_not_of(" \t\r\n") + 1 - first));
}

std::size_t n_shared(std::span<const TokenId> a, std::span<const TokenId> b) {
  std::size_t shared = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x == *y) ++shared;
    const bool step_x = *x <= *y;
    if (*y <= *x) ++y;
    if (step_x) ++x;
  }
  return shared;
}

}  // namespace

RepositoryWindows::RepositoryWindows(std::span<const StoredFile> files, const Tokenizer& tokenizer)
    : tokenizer_(tokenizer) {
  for (const StoredFile& file : files) {
    const std::vector<std::string_view> lines = lines_with_newlines(file.content);
    std::vector<std::vector<TokenId>> tokens;
    tokens.reserve(lines.size());
    for (const std::string_view line : lines) tokens.push_back(tokens_of_line(line, tokenizer));
    for (std::size_t first = 0; first < lines.size(); first += kSlice) {
      const std::size_t end = std::min<std::size_t>(lines.size(), first + kLines);
      const char* begin = lines[first].data();
      const auto size =
          static_cast<std::size_t>(lines[end - 1].data() + lines[end - 1].size() - begin);
      RepositoryWindow window{.file = &file, .text = {begin, size}};
      for (std::size_t i = first; i < end; ++i)
        std::ranges::copy(tokens[i], std::back_inserter(window.tokens));
      make_set(window.tokens);
      windows_.push_back(std::move(window));
      if (end == lines.size()) break;
    }
  }
}

std::vector<RepositoryWindow> RepositoryWindows::most_alike(std::string_view query,
                                                            std::string_view except,
                                                            std::size_t count) const {
  std::vector<TokenId> wanted;
  for (const std::string_view line : lines_with_newlines(query))
    std::ranges::copy(tokens_of_line(line, tokenizer_), std::back_inserter(wanted));
  make_set(wanted);
  std::vector<std::pair<double, const RepositoryWindow*>> found;
  for (const RepositoryWindow& window : windows_) {
    const std::size_t shared = window.file->path == except ? 0 : n_shared(window.tokens, wanted);
    if (shared == 0) continue;
    const std::size_t all = window.tokens.size() + wanted.size() - shared;
    found.emplace_back(static_cast<double>(shared) / static_cast<double>(all), &window);
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.first > b.first; });
  found.resize(std::min(count, found.size()));
  std::vector<RepositoryWindow> windows;
  for (const auto& [likeness, window] : found) windows.push_back(*window);
  return windows;
}

}  // namespace redraft
