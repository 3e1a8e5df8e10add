#pragma once

#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/drafting/redraft/draft_growth.h"
#include "decoding/drafting/redraft/pass_pace.h"
#include "decoding/drafting/redraft/redraft_options.h"
#include "decoding/drafting/redraft/source_set.h"
#include "decoding/drafting/redraft/survival_table.h"
#include "support/token.h"

namespace redraft {

// Grows the draft of one pass guess by guess, always at the likeliest node, and cuts it to the
// nodes that yield the most expected tokens per second, by the survival table and the measured cost
// of rows. It learns from the fate of each draft. Over a whole decode, the rows of drafts never
// lose more than a hundredth of what plain decoding would have taken. The time of proposers does
// not count towards that: they bound their own losses. While a proposer is wrong at first, or reads
// a prompt, counting it would use up the budget, even for verifying its own proposal.
class PricedDraft {
 public:
  // Verifies at most `max_nodes` nodes a pass. `sources` and `cost` outlive this.
  PricedDraft(const SourceSet& sources, const PassPace& cost, int max_nodes,
              DraftShape shape = DraftShape::kTree)
      : sources_(sources),
        cost_(cost),
        max_nodes_(max_nodes),
        survival_(sources.kinds()),
        growth_(shape),
        ahead_(shape) {}

  // A draft of at most `limit` nodes that continues `context`, which the sources have followed to
  // its end. Tokens of `context` from `prompt_size` on are output.
  DraftTree choose(std::span<const TokenId> context, std::size_t prompt_size, int limit);
  // Call it while the chosen draft is verified: grows the next draft from the expected end of the
  // text. The next choose() uses that draft if the expected text was written.
  void look_ahead();
  // The tokens a second that the last choose() promises, including the target's own.
  double rate() const { return rate_; }
  // `written` is the output since choose(), including the target's own token.
  void learn(std::span<const TokenId> written);

 private:
  // Records what the last draft showed, given `written`, the output since.
  void observe(std::span<const TokenId> written, SurvivalTable& survival) const;
  // How many nodes of the order to verify.
  int best_count(int limit);

  const SourceSet& sources_;
  const PassPace& cost_;
  int max_nodes_;
  SurvivalTable survival_;
  DraftGrowth growth_;             // of the last draft
  DraftGrowth ahead_;              // grows from the text that the last draft is expected to yield
  std::vector<TokenId> expected_;  // the output between growth_ and ahead_; empty: ahead_ is unused
  bool as_expected_ = false;       // whether exactly that was written
  int rows_ = 0;                   // rows of the last pass; 0: already learned from
  double rate_ = 0;
  double saved_ = 0;  // seconds saved so far, compared with plain decoding
  double plain_ = 0;  // seconds that plain decoding would have taken so far
};

}  // namespace redraft
