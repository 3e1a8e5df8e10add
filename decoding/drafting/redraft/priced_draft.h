#pragma once

#include <span>
#include <vector>

#include "decoding/draft_tree.h"
#include "decoding/drafting/redraft/draft_growth.h"
#include "decoding/drafting/redraft/pass_pace.h"
#include "decoding/drafting/redraft/source_set.h"
#include "decoding/drafting/redraft/survival_table.h"
#include "support/token.h"

namespace redraft {

// Grows the draft of one pass guess by guess, the likeliest next, and cuts it to the nodes that
// bring the most expected tokens per second by the survival table and the measured cost of rows. It
// learns from what became of the draft, and it never lets the drafts of a whole decode cost more
// than a hundredth of what plain decoding would have taken.
class PricedDraft {
 public:
  // At most `max_nodes` nodes a pass. `sources` and `cost` outlive this.
  PricedDraft(const SourceSet& sources, const PassPace& cost, int max_nodes)
      : sources_(sources), cost_(cost), max_nodes_(max_nodes), survival_(sources.kinds()) {}

  // At most `limit` nodes after `context`, where the sources are; its tokens from `prompt_size` on
  // are output.
  DraftTree choose(std::span<const TokenId> context, std::size_t prompt_size, int limit);
  // For while the draft that was chosen last is verified: grows the next one from where that will
  // probably end. The next choose() has it if that is what is then written.
  void look_ahead();
  // What the last choose() promises: tokens a second, with the target's own.
  double rate() const { return rate_; }
  // Seconds that were spent on the draft beside the pass.
  void charge(double seconds) { saved_ -= seconds; }
  // `written` is the output since choose(), the target's own token included.
  void learn(std::span<const TokenId> written);

 private:
  // What the last draft showed, if this is the output since.
  void observe(std::span<const TokenId> written, SurvivalTable& survival) const;
  // How many of the nodes in order to verify.
  int best_count(int limit);

  const SourceSet& sources_;
  const PassPace& cost_;
  int max_nodes_;
  SurvivalTable survival_;
  DraftGrowth growth_;             // of the last draft
  DraftGrowth ahead_;              // behind what that draft is expected to become
  std::vector<TokenId> expected_;  // the output from growth_ to ahead_; empty: there is none
  bool as_expected_ = false;       // it was written
  int rows_ = 0;                   // of the last pass; 0: learned from
  double rate_ = 0;
  double saved_ = 0;  // seconds against plain decoding so far
  double plain_ = 0;  // seconds that plain decoding would have taken so far
};

}  // namespace redraft
