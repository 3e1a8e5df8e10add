#include "decoding/drafting/lookup/draft_memory.h"

#include <algorithm>
#include <utility>

namespace redraft {
void DraftMemory::add(std::span<const TokenId> text) {
  const int half = capacity_ / 2;
  text = text.last(std::min(text.size(), static_cast<std::size_t>(std::max(half - 1, 0))));
  if (recent_.size() + static_cast<int>(text.size()) + 1 > half)
    old_ = std::exchange(recent_, SuffixAutomaton());
  for (const TokenId token : text) recent_.append(token);
  recent_.append(kBorder);
}

}  // namespace redraft
