#include "workspace/documents/text_edit.h"

#include <cassert>
#include <cstddef>
#include <iterator>

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

std::vector<ByteRange> new_places(const std::vector<TextEdit>& edits) {
  std::vector<ByteRange> places;
  std::ptrdiff_t shift = 0;
  for (const TextEdit& edit : edits) {
    const auto begin =
        static_cast<std::size_t>(static_cast<std::ptrdiff_t>(edit.range.begin) + shift);
    places.push_back({begin, begin + edit.new_text.size()});
    shift += std::ssize(edit.new_text) - static_cast<std::ptrdiff_t>(edit.range.size());
  }
  return places;
}

}  // namespace redraft
