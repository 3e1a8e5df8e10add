#include "workspace/edit/edit_windows.h"

#include <algorithm>
#include <utility>

#include "text/strings/blank_text.h"

namespace redraft {
namespace {

// Fractions of the context. A window appears once in the prompt and once in the answer, which may
// be half as long again.
constexpr int kWindowPart = 4;
constexpr int kContextPart = 8;   // shown around a window
constexpr int kLongLinePart = 4;  // a longer line fits nowhere
// How much longer the prompt of a part is than that of a whole file, in tokens or, at worst, bytes.
constexpr int kMoreWords = 320;

enum CutRank { kAnywhere, kBlankLine, kInnerDefinition, kDefinition };

constexpr std::string_view kBlanksOfLine = " \t\f";

// [i]: how many of the prompt's tokens begin in line i.
std::vector<int> tokens_of_lines(const EditRegion& file, const EditPrompt& prompt,
                                 const Tokenizer& tokenizer) {
  std::vector<int> tokens(file.lines().size(), 0);
  std::size_t line = 0;
  for (const TokenId token : prompt.original) {
    if (line == tokens.size()) break;  // the closing fence
    ++tokens[line];
    const std::string_view bytes = tokenizer.bytes(token);
    line += static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n'));
    line = std::min(line, tokens.size());
  }
  return tokens;
}

EditRegion region_of(const EditRegion& file, LineWindow window) {
  const LineIndex& index = file.document().lines();
  const ByteRange range{index.start(window.first), index.start(window.last)};
  return *EditRegion::make(file.shared_document(), EditScope::kSelection, range);
}

}  // namespace

std::optional<EditWindows> edit_windows(const EditRegion& file, const EditPrompt& prompt,
                                        const Tokenizer& tokenizer, int context_length) {
  const auto n_original = static_cast<int>(prompt.original.size());
  const int others = static_cast<int>(prompt.tokens.size()) - n_original + kMoreWords;
  const int room = context_length - others;
  const std::vector<int> sizes = tokens_of_lines(file, prompt, tokenizer);
  if (sizes.empty() || std::ranges::max(sizes) > room / kLongLinePart) return std::nullopt;
  EditWindows windows;
  for (const LineWindow& window : cut_windows(sizes, cut_ranks(file), room / kWindowPart)) {
    windows.regions.push_back(region_of(file, window));
    int& tokens = windows.tokens.emplace_back(0);
    for (int line = window.first; line < window.last; ++line)
      tokens += sizes[static_cast<std::size_t>(line)];
  }
  const double bytes_per_token =
      static_cast<double>(file.document().text().size()) / std::max(n_original, 1);
  windows.context_bytes = static_cast<std::size_t>(room / kContextPart * bytes_per_token);
  return windows;
}

std::vector<LineWindow> cut_windows(std::span<const int> sizes, std::span<const int> ranks,
                                    int most) {
  const auto n_lines = static_cast<int>(sizes.size());
  const auto size_of = [&](int line) { return sizes[static_cast<std::size_t>(line)]; };
  const auto rank_of = [&](int line) { return ranks[static_cast<std::size_t>(line)]; };
  std::vector<LineWindow> windows;
  for (int first = 0; first < n_lines;) {
    int size = size_of(first);
    int best = first + 1;
    bool is_far = false;  // `best` is in the second half
    for (int last = first + 1;; ++last) {
      if (last == n_lines) {
        best = last;
        break;
      }
      const bool far = 2 * size > most;
      if (!is_far || rank_of(last) >= rank_of(best)) best = last;
      is_far = far;
      if (size + size_of(last) > most) break;
      size += size_of(last);
    }
    windows.push_back({first, best});
    first = best;
  }
  return windows;
}

std::vector<int> cut_ranks(const EditRegion& file) {
  const std::vector<std::string_view>& lines = file.lines();
  std::vector<int> ranks(lines.size(), kAnywhere);
  for (std::size_t line = 1; line < lines.size(); ++line) {
    if (is_blank_text(lines[line - 1], kBlanksOfLine)) ranks[line] = kBlankLine;
  }
  const SyntaxTree* tree = file.document().syntax();
  if (tree == nullptr) return ranks;
  const LineIndex& index = file.document().lines();
  for (const Definition& definition : tree->definitions()) {
    if (definition.range.empty()) continue;
    const int rank = definition.depth == 0 ? kDefinition : kInnerDefinition;
    for (const int line :
         {index.line_of(definition.range.begin), index.line_of(definition.range.end - 1) + 1}) {
      const auto at = static_cast<std::size_t>(line);
      if (at < ranks.size()) ranks[at] = std::max(ranks[at], rank);
    }
  }
  return ranks;
}

}  // namespace redraft
