#include "text/byte_pair_merger.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace redraft {
namespace {

// Greater than any pair, because ids are not negative.
constexpr std::uint64_t kNoPair = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kShortWord = 48;  // tokens; above it the heap is faster than scanning

std::uint64_t pair_key(TokenId left, TokenId right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

// The tokens of a long word as a linked list, and a heap of the pairs that may still merge. A pair
// whose tokens have changed since it was pushed is skipped when it is popped.
class LongWord {
 public:
  LongWord(const BytePairMerger& merger, std::span<const TokenId> word) : merger_(merger) {
    symbols_.reserve(word.size());
    for (const TokenId token : word) {
      const auto n = static_cast<std::uint32_t>(symbols_.size());
      symbols_.push_back({token, n == 0 ? kNone : n - 1, n + 1});
    }
    if (!symbols_.empty()) symbols_.back().next = kNone;
  }

  void merge() {
    for (std::uint32_t i = 0; i < symbols_.size(); ++i) consider(i);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    while (!heap_.empty()) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
      const Candidate best = heap_.back();
      heap_.pop_back();
      const auto symbol = static_cast<std::uint32_t>(best);
      if (!apply(merger_.merge_of_rank(static_cast<std::int32_t>(best >> 32)), symbol)) continue;
      for (const std::uint32_t i : {symbols_[symbol].previous, symbol}) {
        if (consider(i)) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
      }
    }
  }

  void append_to(std::vector<TokenId>& out) const {
    for (std::uint32_t i = symbols_.empty() ? kNone : 0; i != kNone; i = symbols_[i].next) {
      out.push_back(symbols_[i].token);
    }
  }

  std::size_t n_lookups() const { return n_lookups_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Symbol {
    TokenId token;  // -1 once it is part of the symbol before it
    std::uint32_t previous;
    std::uint32_t next;
  };
  // Rank in the high bits, symbol in the low bits: the smallest is the pair to merge next.
  using Candidate = std::uint64_t;

  // Appends the pair that begins at symbol `i` to the heap's storage if there is one and it merges.
  bool consider(std::uint32_t i) {
    if (i == kNone || symbols_[i].next == kNone) return false;
    const TokenId left = symbols_[i].token;
    const TokenId right = symbols_[symbols_[i].next].token;
    const BytePairMerger::Merge merge = merger_.find(left, right);
    ++n_lookups_;
    if (merge.rank == BytePairMerger::kNoRank) return false;
    heap_.push_back(static_cast<Candidate>(merge.rank) << 32 | i);
    return true;
  }

  // Merges the pair that begins at symbol `i` if `merge` still applies to it.
  bool apply(const PairMerge& merge, std::uint32_t i) {
    Symbol& left = symbols_[i];
    if (left.token != merge.left || left.next == kNone) return false;
    Symbol& right = symbols_[left.next];
    if (right.token != merge.right) return false;
    left.token = merge.merged;
    left.next = right.next;
    right.token = -1;
    if (left.next != kNone) symbols_[left.next].previous = i;
    return true;
  }

  const BytePairMerger& merger_;
  std::vector<Symbol> symbols_;  // indices never change: words are below 4 GiB
  std::vector<Candidate> heap_;
  std::size_t n_lookups_ = 0;
};

}  // namespace

BytePairMerger::BytePairMerger(const std::array<TokenId, 256>& byte_tokens,
                               std::vector<PairMerge> merges)
    : byte_tokens_(byte_tokens), merges_(std::move(merges)) {
  const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(2 * merges_.size(), 2));
  shift_ = 64 - std::countr_zero(capacity);
  slots_.assign(capacity, Slot{kNoPair, {kNoRank, -1}});
  for (std::size_t rank = 0; rank < merges_.size(); ++rank) {
    const std::uint64_t pair = pair_key(merges_[rank].left, merges_[rank].right);
    std::size_t i = first_slot(pair);
    while (slots_[i].pair != kNoPair && slots_[i].pair != pair) i = (i + 1) & (capacity - 1);
    slots_[i] = {pair, {static_cast<std::int32_t>(rank), merges_[rank].merged}};
  }
}

std::size_t BytePairMerger::first_slot(std::uint64_t pair) const {
  pair ^= pair >> 29;
  pair *= 0xBF58476D1CE4E5B9u;
  pair ^= pair >> 32;
  return static_cast<std::size_t>((pair * 0x9E3779B97F4A7C15u) >> shift_);
}

BytePairMerger::Merge BytePairMerger::find(TokenId left, TokenId right) const {
  const std::uint64_t pair = pair_key(left, right);
  for (std::size_t i = first_slot(pair);; i = (i + 1) & (slots_.size() - 1)) {
    if (slots_[i].pair == pair) return slots_[i].merge;
    if (slots_[i].pair == kNoPair) return {kNoRank, -1};
  }
}

std::size_t BytePairMerger::append(std::string_view word, std::vector<TokenId>& out) const {
  const auto copy_tokens = [&](TokenId* to) {
    std::size_t n = 0;
    for (const char c : word) {
      const TokenId token = byte_tokens_[static_cast<unsigned char>(c)];
      if (token >= 0) to[n++] = token;
    }
    return n;
  };
  if (word.size() <= kShortWord) {
    std::array<TokenId, kShortWord> tokens;
    return append_short(std::span(tokens).first(copy_tokens(tokens.data())), out);
  }
  std::vector<TokenId> tokens(word.size());
  tokens.resize(copy_tokens(tokens.data()));
  return append(tokens, out);
}

std::size_t BytePairMerger::append(std::span<const TokenId> word, std::vector<TokenId>& out) const {
  if (word.size() <= kShortWord) {
    std::array<TokenId, kShortWord> tokens;
    std::ranges::copy(word, tokens.begin());
    return append_short(std::span(tokens).first(word.size()), out);
  }
  LongWord long_word(*this, word);
  long_word.merge();
  long_word.append_to(out);
  return long_word.n_lookups();
}

// `tokens` has at most kShortWord, and is overwritten.
std::size_t BytePairMerger::append_short(std::span<TokenId> tokens,
                                         std::vector<TokenId>& out) const {
  std::array<Merge, kShortWord> merges;  // merges[i] merges tokens[i] and tokens[i + 1]
  std::size_t n = tokens.size();
  std::size_t n_lookups = n > 0 ? n - 1 : 0;
  for (std::size_t i = 0; i + 1 < n; ++i) merges[i] = find(tokens[i], tokens[i + 1]);
  while (n > 1) {
    std::size_t best = 0;
    for (std::size_t i = 1; i + 1 < n; ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == kNoRank) break;
    tokens[best] = merges[best].merged;
    for (std::size_t i = best + 1; i + 1 < n; ++i) {
      tokens[i] = tokens[i + 1];
      merges[i - 1] = merges[i];
    }
    --n;
    if (best > 0) merges[best - 1] = find(tokens[best - 1], tokens[best]);
    if (best + 1 < n) merges[best] = find(tokens[best], tokens[best + 1]);
    n_lookups += 2;
  }
  out.insert(out.end(), tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(n));
  return n_lookups;
}

}  // namespace redraft
