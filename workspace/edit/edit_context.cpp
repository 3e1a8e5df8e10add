#include "workspace/edit/edit_context.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "support/utf8/utf8.h"

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

  // The region: lines [first, end).
  FileAround around(int first, int end) const {
    FileAround result;
    std::string& text = result.text;
    bool gap = false;
    const auto mark_gap = [&] {
      if (std::exchange(gap, false)) text += "...\n";
    };
    for (int line = 0; line < count(); ++line) {
      if (line == first) {
        mark_gap();
        result.region.begin = text.size();
      }
      const bool last_and_empty = line + 1 == count() && text_of(line).empty();
      if (!last_and_empty && shown_[static_cast<std::size_t>(line)]) {
        mark_gap();
        text += text_of(line);
        text += '\n';
      } else if (!last_and_empty) {
        gap = true;
      }
      if (line + 1 == end) result.region.end = text.size();
    }
    mark_gap();
    if (first >= count()) result.region.begin = text.size();
    result.region.end = std::max(result.region.begin, result.region.end);
    return result;
  }

 private:
  std::string_view text_of(int line) const {
    std::size_t begin = document_.lines().start(line);
    if (line == 0 && document_.text().starts_with(kByteOrderMark)) begin = kByteOrderMark.size();
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

FileAround file_around(const EditRegion& region, std::size_t max_bytes) {
  const Document& document = region.document();
  const ByteRange range = region.range();
  const LineIndex& index = document.lines();
  const int first = index.line_of(range.begin);
  const int last = first + static_cast<int>(region.lines().size()) - 1;
  ShownLines lines(document, max_bytes - max_bytes / kOutlineShare);
  if (document.text().size() - range.size() <= max_bytes) {
    for (int line = 0; line < lines.count(); ++line) lines.show_always(line);
    return lines.around(first, last + 1);
  }
  for (int line = first; line <= last; ++line) lines.show_always(line);
  // Twice as far up as down: a region builds on what comes before it.
  bool up = true, down = true;
  for (int step = 1; up || down; ++step) {
    up = up && lines.show(first - 2 * step + 1) && lines.show(first - 2 * step);
    down = down && lines.show(last + step);
  }
  lines.limit(max_bytes / kOutlineShare);
  show_outline(document, first, last, lines);
  return lines.around(first, last + 1);
}

}  // namespace redraft
