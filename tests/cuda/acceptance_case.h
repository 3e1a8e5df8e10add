#pragma once

#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cuda/pass_memory.h"
#include "cuda/sequence.h"
#include "decoding/acceptance.h"

namespace redraft::cuda {

// A random pass with a draft, with so few different tokens that much of it is accepted: the
// decision of the device, and that of accept().
struct AcceptanceCase {
  std::vector<int> accepted;  // by the device
  int in_place;
  std::vector<int> expected;

  // Empty if they agree.
  std::string difference() const {
    if (accepted != expected) return "another path";
    int straight = 0;
    while (straight < static_cast<int>(expected.size()) &&
           expected[static_cast<std::size_t>(straight)] == straight)
      ++straight;
    return in_place == straight ? "" : "others are in their places";
  }
};

// Chains if `branches` is 0, otherwise trees with paths about as long as this many nodes allow.
inline DraftTree random_draft(int nodes, int branches, int tokens, std::mt19937& random) {
  DraftTree draft;
  for (int i = 0; i < nodes; ++i) {
    const bool branch = branches > 0 && random() % static_cast<unsigned>(branches) == 0;
    const int parent =
        branch ? static_cast<int>(random() % static_cast<unsigned>(i + 1)) - 1 : i - 1;
    draft.add(static_cast<TokenId>(random() % static_cast<unsigned>(tokens)), parent,
              DraftOrigin::kOther);
  }
  return draft;
}

inline AcceptanceCase run_acceptance(PassMemory& memory, DeviceQueue& queue, const DraftTree& draft,
                                     std::span<const TokenId> context, int tokens, int padded,
                                     std::mt19937& random) {
  constexpr int kCommitted = 300;
  const int first = static_cast<int>(context.size()) - 1;
  const int rows = std::max(padded, first + 1 + draft.size());
  memory.begin_pass(context, draft, kCommitted, padded);
  // Mostly what the draft says, so that long paths are accepted.
  std::vector<TokenId> best(static_cast<std::size_t>(rows));
  for (TokenId& token : best)
    token = static_cast<TokenId>(random() % static_cast<unsigned>(tokens));
  for (int node = 0; node < draft.size(); ++node) {
    const int row = first + 1 + draft.parents()[static_cast<std::size_t>(node)];
    if (random() % 16 != 0)
      best[static_cast<std::size_t>(row)] = draft.tokens()[static_cast<std::size_t>(node)];
  }
  queue.copy_in(memory.best(), best.data(), best.size() * sizeof(TokenId));
  accept_draft(memory.draft_rows(), rows, memory.verdict(), queue.stream());
  queue.copy_out(memory.verdict_here(), memory.verdict(), sizeof(Verdict));
  queue.wait();
  AcceptanceCase result;
  const Verdict& verdict = *memory.verdict_here();
  for (int i = 0; i < verdict.accepted; ++i) result.accepted.push_back(verdict.rows[i] - first - 1);
  result.in_place = verdict.in_place;
  Predictions predictions;
  predictions.argmax.assign(best.begin() + first, best.begin() + first + 1 + draft.size());
  result.expected = accept(draft, predictions, {}).path;
  return result;
}

}  // namespace redraft::cuda
