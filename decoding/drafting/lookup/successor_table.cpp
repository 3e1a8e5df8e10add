#include "decoding/drafting/lookup/successor_table.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr std::size_t kMaxTokens = 1 << 15;

}  // namespace

void SuccessorTable::learn(const DraftTree& draft, const Predictions& predictions) {
  if (successors_.size() + static_cast<std::size_t>(draft.size()) > kMaxTokens) successors_.clear();
  for (int node = 0; node < draft.size(); ++node) {
    const TokenId next = predictions.argmax[static_cast<std::size_t>(node) + 1];
    Successors none;
    none.fill(-1);
    Successors& known = successors_.try_emplace(draft.tokens()[node], none).first->second;
    const auto last = std::find(known.begin(), known.end() - 1, next);
    std::rotate(known.begin(), last, last + 1);
    known[0] = next;
  }
}

const SuccessorTable::Successors* SuccessorTable::after(TokenId token) const {
  const auto known = successors_.find(token);
  return known == successors_.end() ? nullptr : &known->second;
}

}  // namespace redraft
