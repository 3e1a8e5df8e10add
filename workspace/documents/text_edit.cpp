#include "workspace/documents/text_edit.h"

#include <cassert>

namespace redraft {

std::string apply_edits(const std::string& text, const std::vector<TextEdit>& edits) {
  std::string result;
  std::size_t position = 0;
  for (const TextEdit& edit : edits) {
    assert(position <= edit.range.begin && edit.range.begin <= edit.range.end);
    assert(edit.range.end <= text.size());
    result.append(text, position, edit.range.begin - position);
    result += edit.new_text;
    position = edit.range.end;
  }
  result.append(text, position);
  return result;
}

}  // namespace redraft
