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
#include <cstddef>

namespace redraft {
namespace {

bool stands(TokenId token, int row, const Predictions& predictions, const LossyRule* lossy) {
  if (token == predictions.argmax[row]) return true;
  return lossy != nullptr && lossy->accepts(token, row, predictions);
}

}  // namespace

Acceptance accept(const DraftTree& draft, const Predictions& predictions, const LossyRule* lossy) {
  assert(predictions.argmax.size() == static_cast<std::size_t>(draft.size()) + 1);
  // Ancestors come first, so one sweep settles every node: its depth on an accepted path, or 0 if
  // it is rejected.
  std::vector<int> accepted_depth(draft.size(), 0);
  int deepest = -1;
  for (int node = 0; node < draft.size(); ++node) {
    const int parent = draft.parents()[node];
    if (parent >= 0 && accepted_depth[parent] == 0) continue;
    if (!stands(draft.tokens()[node], parent + 1, predictions, lossy)) continue;
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
