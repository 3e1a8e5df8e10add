#include "workspace/edit/edit_context.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace redraft {
namespace {

constexpr double kReadingSeconds = 5;
constexpr int kMinTokens = 1024;
constexpr int kMaxTokens = 8192;
constexpr double kBytesPerToken = 3.4;
// One part in this many of the context is the first lines of distant definitions.
constexpr std::size_t kOutlineShare = 4;

// The lines of a document that are shown, and their size in bytes.
class ShownLines {
 public:
  ShownLines(const Document& document, std::size_t max_bytes)
      : document_(document),
        shown_(static_cast<std::size_t>(document.lines().line_count()), false),
        left_(max_bytes) {}

  int count() const { return static_cast<int>(shown_.size()); }
  // False if there is no such line, or no room for it.
  bool show(int line) {
    if (line < 0 || line >= count()) return false;
    if (shown_[static_cast<std::size_t>(line)]) return true;
    const std::size_t size = text_of(line).size() + 1;
    if (size > left_) return false;
    left_ -= size;
    shown_[static_cast<std::size_t>(line)] = true;
    return true;
  }
  // Ignores the limit.
  void show_always(int line) { shown_[static_cast<std::size_t>(line)] = true; }
  void limit(std::size_t bytes) { left_ = bytes; }

  std::string text() const {
    std::string text;
    bool gap = false;
    for (int line = 0; line < count(); ++line) {
      const bool last_and_empty = line + 1 == count() && text_of(line).empty();
      if (last_and_empty) break;
      if (shown_[static_cast<std::size_t>(line)]) {
        if (std::exchange(gap, false)) text += "...\n";
        text += text_of(line);
        text += '\n';
      } else {
        gap = true;
      }
    }
    if (gap) text += "...\n";
    return text;
  }

 private:
  std::string_view text_of(int line) const {
    const std::size_t begin = document_.lines().start(line);
    return std::string_view(document_.text())
        .substr(begin, document_.lines().content_end(line) - begin);
  }

  const Document& document_;
  std::vector<bool> shown_;
  std::size_t left_;
};

void show_outline(const Document& document, int first, int last, ShownLines& lines) {
  const SyntaxTree* tree = document.syntax();
  if (!tree) return;
  std::vector<int> headers;
  for (const Definition& definition : tree->definitions())
    headers.push_back(document.lines().line_of(definition.name.empty() ? definition.range.begin
                                                                       : definition.name.begin));
  // The nearest first.
  const auto distance = [&](int line) { return line < first ? first - line : line - last; };
  std::ranges::stable_sort(headers, {}, distance);
  for (const int line : headers) {
    if (!lines.show(line)) break;
  }
}

}  // namespace

std::size_t edit_context_bytes(const CostCurve& cost) {
  const int tokens = std::max(cost.tokens_read_in(kReadingSeconds, kMaxTokens), kMinTokens);
  return static_cast<std::size_t>(kBytesPerToken * tokens);
}

std::string file_around(const EditRegion& region, std::size_t max_bytes) {
  const Document& document = region.document();
  const ByteRange range = region.range();
  if (document.text().size() - range.size() <= max_bytes) return text_for_model(document);
  const LineIndex& index = document.lines();
  const int first = index.line_of(range.begin);
  const int last = first + static_cast<int>(region.lines().size()) - 1;
  ShownLines lines(document, max_bytes - max_bytes / kOutlineShare);
  for (int line = first; line <= last; ++line) lines.show_always(line);
  // Twice as far up as down: a region builds on what comes before it.
  bool up = true, down = true;
  for (int step = 1; up || down; ++step) {
    up = up && lines.show(first - 2 * step + 1) && lines.show(first - 2 * step);
    down = down && lines.show(last + step);
  }
  lines.limit(max_bytes / kOutlineShare);
  show_outline(document, first, last, lines);
  return lines.text();
}

}  // namespace redraft
