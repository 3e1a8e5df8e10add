#include "workspace/documents/written_since.h"

#include <algorithm>
#include <string_view>

#include "text/strings/names.h"
#include "text/strings/text_lines.h"
#include "workspace/documents/diff.h"

namespace redraft {
namespace {

// Names, numbers and signs.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  for (std::size_t at = skip_space(text, 0); at < text.size(); at = skip_space(text, at)) {
    std::size_t end = at + 1;
    while (is_name_byte(text[at]) && end < text.size() && is_name_byte(text[end])) ++end;
    parts.push_back(text.substr(at, end - at));
    at = end;
  }
  return parts;
}

std::vector<std::string_view> lines_of(const Document& document) {
  std::vector<std::string_view> lines;
  const LineIndex& index = document.lines();
  const std::string_view text = document.text();
  for (int line = 0; line < index.line_count(); ++line) {
    const std::size_t begin = index.start(line), end = index.start(line + 1);
    lines.push_back(text.substr(begin, end - begin));
  }
  return lines;
}

}  // namespace

WrittenSince::WrittenSince(const Document& before, const Document& now) {
  if (before.text() == now.text()) return;
  int shift = 0;
  for (const LineChange& change : diff_lines(lines_of(before), lines_of(now))) {
    const int begin = change.old_begin + shift;
    const int size = static_cast<int>(change.new_lines.size());
    const auto text = [](const Document& document, int first, int end) {
      const std::size_t from = document.lines().start(first);
      return std::string_view(document.text()).substr(from, document.lines().start(end) - from);
    };
    compare(text(before, change.old_begin, change.old_end), text(now, begin, begin + size),
            now.lines().start(begin));
    shift += size - (change.old_end - change.old_begin);
  }
}

void WrittenSince::compare(std::string_view before, std::string_view now, std::size_t begin) {
  const std::vector<std::string_view> parts = parts_of(now);
  const auto place = [&](const char* byte) {
    return begin + static_cast<std::size_t>(byte - now.data());
  };
  std::size_t shift = 0;  // may wrap
  for (const LineChange& change : diff_lines(parts_of(before), parts)) {
    const std::size_t first = static_cast<std::size_t>(change.old_begin) + shift;
    const std::size_t end = first + change.new_lines.size();
    const std::size_t from =
        first == 0 ? begin : place(parts[first - 1].data() + parts[first - 1].size());
    const std::size_t to = end == parts.size() ? begin + now.size() : place(parts[end].data());
    changed_.push_back({from, to});
    shift += change.new_lines.size() - static_cast<std::size_t>(change.old_end - change.old_begin);
  }
}

bool WrittenSince::has(const ByteRange& range) const {
  return std::ranges::any_of(changed_, [&](const ByteRange& changed) {
    return changed.begin < range.end && range.begin < changed.end;
  });
}

}  // namespace redraft
