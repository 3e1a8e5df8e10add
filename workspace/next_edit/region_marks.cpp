#include <algorithm>

#include "text/strings/blank_text.h"
#include "text/strings/trimmed.h"
#include "workspace/next_edit/next_edit_prompt.h"

namespace redraft {
namespace {

// How far a mark may move down to a better line.
constexpr int kMaxNudge = 5;

// A line that ends something belongs to what is above it.
bool can_begin(std::string_view line) {
  std::string_view text = trimmed(line);
  if (text.empty() || text.front() == '}' || text.front() == ']' || text.front() == ')')
    return false;
  while (text.ends_with(';')) text.remove_suffix(1);
  return text != "break" && text != "continue" && text != "return" && text != "throw" &&
         text != "end";
}

// The first line from `line` on that can follow a mark; `line` itself if none is near.
int beginning_near(std::span<const std::string> window, int line) {
  const int end = std::min(static_cast<int>(window.size()), line + kMaxNudge);
  for (int i = line; i < end; ++i) {
    if (can_begin(window[static_cast<std::size_t>(i)])) return i;
  }
  return line;
}

}  // namespace

std::vector<int> region_marks(std::span<const std::string> window, int least, int most) {
  const int count = static_cast<int>(window.size());
  std::vector<int> marks = {0};
  for (int line = 1; line < count; ++line) {
    const int before = line - marks.back();
    const bool after_blank = is_blank_text(window[static_cast<std::size_t>(line - 1)]) &&
                             !is_blank_text(window[static_cast<std::size_t>(line)]);
    int mark = -1;
    if (before >= least && after_blank) {
      mark = beginning_near(window, line);
      if (count - mark < least) mark = -1;
    }
    if (mark < 0 && before >= most) mark = beginning_near(window, line);
    if (mark < 0) continue;
    marks.push_back(mark);
    line = mark;
  }
  marks.push_back(count);
  return marks;
}

}  // namespace redraft
