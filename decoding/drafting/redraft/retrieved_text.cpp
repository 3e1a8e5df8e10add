#include "decoding/drafting/redraft/retrieved_text.h"

#include <algorithm>

namespace redraft {
namespace {

constexpr ContinuationQuery kQuery = {.longest = 16, .shortest = 2, .length = 10, .most = 256};
constexpr int kGuesses = 3;  // at one place

struct Counted {
  TokenId token;
  int count;
};

}  // namespace

void RetrievedText::search(std::span<const TokenId> context) {
  found_ = store_ ? store_->continuations(context, kQuery) : Continuations();
}

RetrievedRange RetrievedText::advance(const RetrievedRange& range, TokenId token) const {
  // They are in the order of their tokens, and those that end here come first.
  const auto depth = static_cast<std::size_t>(range.depth);
  const auto begin = found_.tokens.begin() + range.begin;
  const auto end = found_.tokens.begin() + range.end;
  const auto first = std::partition_point(begin, end, [&](std::span<const TokenId> tokens) {
    return tokens.size() <= depth || tokens[depth] < token;
  });
  const auto last = std::partition_point(
      first, end, [&](std::span<const TokenId> tokens) { return tokens[depth] == token; });
  return {static_cast<int>(first - found_.tokens.begin()),
          static_cast<int>(last - found_.tokens.begin()), range.depth + 1};
}

void RetrievedText::add_guesses(const RetrievedRange& range, std::vector<Guess>& guesses) const {
  const auto depth = static_cast<std::size_t>(range.depth);
  std::vector<Counted> counted;
  int total = 0;
  for (int i = range.begin; i < range.end; ++i) {
    const std::span<const TokenId> tokens = found_.tokens[static_cast<std::size_t>(i)];
    if (tokens.size() <= depth) continue;
    ++total;
    if (counted.empty() || counted.back().token != tokens[depth])
      counted.push_back({tokens[depth], 0});
    ++counted.back().count;
  }
  const auto kept = std::min(counted.size(), static_cast<std::size_t>(kGuesses));
  std::partial_sort(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(kept),
                    counted.end(),
                    [](const Counted& a, const Counted& b) { return a.count > b.count; });
  for (std::size_t i = 0; i < kept; ++i) {
    const int length = found_.matched + range.depth;
    guesses.push_back({counted[i].token, GuessKind::kRetrieved, length * counted[i].count / total});
  }
}

}  // namespace redraft
