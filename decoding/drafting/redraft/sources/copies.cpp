#include "decoding/drafting/redraft/sources/copies.h"

#include "decoding/drafting/lookup/draft_memory.h"

namespace redraft {

void Copies::add(const SuffixAutomaton& text, SuffixAutomaton::Cursor at,
                 std::vector<Guess>& out) const {
  constexpr int kCopies = 3;
  if (at.length == 0) return;
  found_.clear();
  text.find_next(at, kCopies, found_);
  for (const SuffixAutomaton::Next& next : found_) {
    if (next.token != DraftMemory::kBorder) out.push_back({next.token, kind_, next.length});
  }
}

}  // namespace redraft
