#include "indexing/syntax/chunks.h"

#include <algorithm>
#include <cassert>

#include "support/utf8/utf8.h"
#include "text/strings/text_lines.h"

namespace redraft {
namespace {

// A place where a line begins, and its nesting depth in definitions.
struct Cut {
  std::size_t offset;
  int depth;
};

std::vector<Cut> cuts_of(std::string_view text, const std::vector<Definition>& definitions) {
  std::vector<Cut> cuts;
  for (const Definition& definition : definitions) {
    const ByteRange& range = definition.range;
    if (range.end > text.size()) continue;
    if (begins_line(text, range.begin))
      cuts.push_back({line_start(text, range.begin), definition.depth});
    const std::size_t end = line_end(text, range.end);
    if (end < text.size()) cuts.push_back({end + 1, definition.depth});
  }
  std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.depth < b.depth;
  });
  return cuts;
}

// At most `end`: after the last newline, or where a character begins.
std::size_t plain_cut(std::string_view text, std::size_t begin, std::size_t end) {
  if (const std::size_t line = line_start(text.substr(0, end), end); line > begin) return line;
  std::size_t cut = end;
  while (cut > begin + 1 && cut > end - 3 && continues_character(text[cut])) --cut;
  return cut;
}

}  // namespace

std::vector<ByteRange> chunks(std::string_view text, const std::vector<Definition>& definitions,
                              std::size_t max_bytes) {
  assert(max_bytes >= 4);
  const std::vector<Cut> cuts = cuts_of(text, definitions);
  std::vector<ByteRange> pieces;
  auto next = cuts.begin();
  std::size_t begin = 0;
  while (text.size() - begin > max_bytes) {
    const std::size_t end = begin + max_bytes;
    const Cut* best = nullptr;  // the last one of the outermost
    while (next != cuts.end() && next->offset <= begin) ++next;
    for (auto cut = next; cut != cuts.end() && cut->offset <= end; ++cut) {
      if (best == nullptr || cut->depth <= best->depth) best = &*cut;
    }
    const std::size_t cut = best != nullptr ? best->offset : plain_cut(text, begin, end);
    pieces.push_back({begin, cut});
    begin = cut;
  }
  if (begin < text.size()) pieces.push_back({begin, text.size()});
  return pieces;
}

}  // namespace redraft
