// An example. The text ends with "x =", and a pass verifies " a" followed by " +" and " -", the
// nodes 0 to 2. It accepts " a" and " -", and its own token after that is " b", so it wrote " a -
// b". Row 0 belongs to "=", and row 1 + i to node i; so row 3, that of " -", predicted " b", and
// holds what the head needs to guess what follows " b".

#include "decoding/drafting/methods/head_reader.h"

namespace redraft {

bool HeadReader::arrive(std::span<const TokenId> context) {
  const auto written = context.subspan(length_);
  row_ = verified_ ? predicting_row(draft_, written) : -1;
  length_ = context.size();
  verified_ = false;
  return row_ >= 0;
}

void HeadReader::observe(const VerifiedDraft& pass) {
  draft_ = pass.draft;
  verified_ = true;
}

int predicting_row(const DraftTree& draft, std::span<const TokenId> written) {
  if (written.empty()) return -1;
  const auto accepted = written.first(written.size() - 1);
  if (accepted.empty()) return 0;
  std::vector<std::size_t> agreeing(static_cast<std::size_t>(draft.size()));  // 0: not on the path
  for (int node = 0; node < draft.size(); ++node) {
    const int parent = draft.parents()[node];
    const std::size_t before = parent < 0 ? 0 : agreeing[static_cast<std::size_t>(parent)];
    if ((parent >= 0 && before == 0) || before == accepted.size()) continue;
    if (draft.tokens()[node] != accepted[before]) continue;
    if (before + 1 == accepted.size()) return 1 + node;
    agreeing[static_cast<std::size_t>(node)] = before + 1;
  }
  return -1;
}

}  // namespace redraft
