#include "workspace/documents/buffer_change.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "support/utf8/utf8.h"

namespace redraft {
namespace {

bool is_line_start(const ChangingText& text, std::size_t offset) {
  if (offset == 0) return true;
  const char before = text[offset - 1];
  if (before == '\n') return true;
  if (before == '\r') return !(offset < text.size() && text[offset] == '\n');
  constexpr std::size_t kMark = kByteOrderMark.size();
  return offset == kMark && text.substr(0, kMark) == kByteOrderMark;
}

}  // namespace

BufferChange apply_change(ChangingText& text, const TextEdit& edit) {
  const std::string replaced = text.substr(edit.range.begin, edit.range.size());
  std::string_view old_text = replaced;
  std::string_view new_text = edit.new_text;
  const auto same =
      std::mismatch(old_text.begin(), old_text.end(), new_text.begin(), new_text.end());
  const auto prefix = static_cast<std::size_t>(same.first - old_text.begin());
  old_text.remove_prefix(prefix);
  new_text.remove_prefix(prefix);
  const auto same_end =
      std::mismatch(old_text.rbegin(), old_text.rend(), new_text.rbegin(), new_text.rend());
  const auto suffix = static_cast<std::size_t>(same_end.first - old_text.rbegin());
  new_text.remove_suffix(suffix);

  BufferChange change;
  change.range = {edit.range.begin + prefix, edit.range.end - suffix};
  change.new_size = new_text.size();
  change.begin_was_line_start = is_line_start(text, change.range.begin);
  change.end_was_line_start = is_line_start(text, change.range.end);
  text.replace(change.range, new_text);
  change.begin_is_line_start = is_line_start(text, change.range.begin);
  change.end_is_line_start = is_line_start(text, change.range.begin + change.new_size);
  return change;
}

bool rebase(const BufferChange& change, ByteRange* range) {
  if (change.range.empty() && change.new_size == 0) return true;
  if (change.range.begin >= range->end) {
    if (change.range.begin > range->end) return true;
    // Directly after the edit: the edit still applies if it ends where a line begins.
    return change.begin_was_line_start && change.begin_is_line_start;
  }
  if (change.range.end > range->begin) return false;
  if (change.range.end == range->begin && change.end_was_line_start && !change.end_is_line_start)
    return false;
  const std::size_t size = range->size();
  range->begin = range->begin - change.range.size() + change.new_size;
  range->end = range->begin + size;
  return true;
}

}  // namespace redraft
