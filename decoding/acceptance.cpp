// Why one pass can accept several tokens without changing the output
//
// One pass predicts what the target would write after the last token of the context (row 0) and
// after every draft node i (row 1 + i), given that node's path. A draft token is accepted if its
// parent is accepted and the parent's row predicts it. Under the strict rule that means: had the
// target written this text token by token, it would have written this token here. So whatever was
// guessed, the accepted tokens are those of plain greedy decoding; a bad guess only costs its row.
//
// An example. After "for", the draft is a tree of three nodes:
//
//   node   token   parent   the parent's row predicts   accepted
//   0      "x"     -1       row 0: "i"                  no
//   1      "i"     -1       row 0: "i"                  yes
//   2      "in"    1        row 2: "in"                 yes
//
// The path is 1, 2. Row 3, that of node 2, predicts "range", the target's own token after the path:
// one pass wrote three tokens. The work on row 1, after "x", was wasted.

#include "decoding/acceptance.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace redraft {
namespace {

// Whether the rule accepts a draft token, given what the target predicted at `row`.
bool stands(TokenId token, int row, const Predictions& predictions,
            const AcceptancePolicy& policy) {
  if (token == predictions.argmax[row]) return true;
  if (policy.rule == AcceptancePolicy::Rule::kStrict) return false;
  if (policy.rule == AcceptancePolicy::Rule::kDirect) return true;
  // A small vocabulary may have fewer than k candidates.
  const std::size_t width = predictions.top_ids.size() / predictions.argmax.size();
  const std::size_t begin = static_cast<std::size_t>(row) * width;
  std::size_t candidates = width;
  if (policy.rule == AcceptancePolicy::Rule::kEntropy) {
    const double entropy = predictions.top_entropy[static_cast<std::size_t>(row)];
    candidates = static_cast<std::size_t>(
        entropy_threshold(entropy, static_cast<int>(width), policy.floor_tau));
  }
  const auto top = std::span(predictions.top_ids).subspan(begin, candidates);
  return std::find(top.begin(), top.end(), token) != top.end();
}

}  // namespace

PredictionNeeds AcceptancePolicy::needs() const {
  PredictionNeeds needs;
  if (rule == Rule::kEntropy || rule == Rule::kTopK) needs.top_k = k;
  return needs;
}

double normalised_entropy(std::span<const float> top_logits) {
  if (top_logits.size() < 2) return 0;
  const double best = *std::max_element(top_logits.begin(), top_logits.end());
  double sum = 0;
  double weighted = 0;  // sum of e^x x
  for (const float logit : top_logits) {
    const double shifted = logit - best;
    const double weight = std::exp(shifted);
    sum += weight;
    if (weight > 0) weighted += weight * shifted;  // a logit of -infinity adds nothing
  }
  return (std::log(sum) - weighted / sum) / std::log(static_cast<double>(top_logits.size()));
}

int entropy_threshold(double entropy, int k, bool floor_tau) {
  const double scaled = k * entropy;
  // If the candidates of a row cannot be ranked by entropy, only its argmax is accepted.
  if (k <= 1 || !std::isfinite(scaled)) return 1;
  const double tau = floor_tau ? std::floor(scaled) : std::ceil(scaled);
  return static_cast<int>(std::clamp(tau, 1.0, static_cast<double>(k)));
}

Acceptance accept(const DraftTree& draft, const Predictions& predictions,
                  const AcceptancePolicy& policy) {
  assert(predictions.argmax.size() == static_cast<std::size_t>(draft.size()) + 1);
  // Ancestors come first, so one sweep settles every node: its depth on an accepted path, or 0 if
  // it is rejected.
  std::vector<int> accepted_depth(draft.size(), 0);
  int deepest = -1;
  for (int node = 0; node < draft.size(); ++node) {
    const int parent = draft.parents()[node];
    if (parent >= 0 && accepted_depth[parent] == 0) continue;
    if (!stands(draft.tokens()[node], parent + 1, predictions, policy)) continue;
    accepted_depth[node] = parent < 0 ? 1 : accepted_depth[parent] + 1;
    if (deepest < 0 || accepted_depth[node] > accepted_depth[deepest]) deepest = node;
  }
  Acceptance acceptance;
  for (int node = deepest; node >= 0; node = draft.parents()[node]) acceptance.path.push_back(node);
  std::reverse(acceptance.path.begin(), acceptance.path.end());
  for (const int node : acceptance.path) acceptance.tokens.push_back(draft.tokens()[node]);
  acceptance.tokens.push_back(predictions.argmax[deepest + 1]);
  return acceptance;
}

}  // namespace redraft
