// Why a draft has a price
//
// A pass with more rows takes longer; on a CPU its time soon grows in proportion. DraftGrowth
// orders the nodes by likelihood, and a pass takes the prefix of that order that promises the most
// tokens a second. In the example of draft_growth.cpp, with a pass of one row at 50 ms and 2 ms for
// each further row:
//
//   nodes so far     expected tokens     ms     tokens a second
//   none             1                   50     20.0
//   foo              1.8                 52     34.6
//   foo (            2.52                54     46.7
//   foo ( x          2.88                56     51.4
//   foo ( )          2.99                58     51.5  <- these four are verified
//   bar              3.07                60     51.1
//
// Expected is not certain: if "foo" is wrong, the pass took 58 ms for the one token that plain
// decoding writes in 50. So the time that drafts may lose over a whole decode is limited to a
// hundredth of what plain decoding would take, plus a tenth of a plain step at the start (half of
// one if the first token is nearly certain). No pass may take longer than the rest of that budget.
// Here the first pass may take 55 ms, so it only verifies "foo ("; if that is right, it saves 96
// ms, which later passes may risk.
//
// After the pass, every guess that was tried for a token of the output shows how far its kind can
// be trusted. Suppose the output continued with "foo", "(" and "y": two guesses were right, "x" and
// ")" were wrong. About "bar" nothing is known, because "foo" was right.

#include "decoding/drafting/redraft/priced_draft.h"

#include <algorithm>
#include <utility>

#include "decoding/chunk_sizer.h"

namespace redraft {
namespace {

// How much time drafts may lose in total: a share of plain decoding, plus at the start a fraction
// of one plain step, which is larger if the draft's first token is nearly certain. With less,
// sources could not show what they are worth.
constexpr double kShareAtRisk = 0.01;
constexpr double kFirstRisk = 0.1;
constexpr double kSureRisk = 0.5;
constexpr double kSureProbability = 0.9;
// A cancellation waits for the running pass. A pass with a draft takes no longer than a chunk, or
// than this many plain steps.
constexpr double kMaxSteps = 3;

}  // namespace

DraftTree PricedDraft::choose(std::span<const TokenId> context, std::size_t prompt_size,
                              int limit) {
  const int most = std::min(limit, max_nodes_);
  if (std::exchange(as_expected_, false)) {
    std::swap(growth_, ahead_);
    growth_.arrive(sources_.at_end());
  } else {
    const auto last = context.last(std::min(context.size(), Branch::kTokens));
    growth_.begin({.tokens = {last.begin(), last.end()},
                   .length = context.size(),
                   .written = context.size() - prompt_size,
                   .states = sources_.at_end()});
    growth_.grow(sources_, survival_, cost_, most);
  }
  expected_.clear();
  std::vector<int>& order = growth_.order();
  order.resize(static_cast<std::size_t>(best_count(most)));
  DraftTree draft;
  for (const int node : order) {
    DraftGrowth::Node& chosen = growth_.nodes()[static_cast<std::size_t>(node)];
    const int parent = chosen.parent == 0 ? -1 : growth_.node(chosen.parent).place;
    chosen.place = draft.add(chosen.token, parent, sources_.kinds()[*chosen.kind].origin);
  }
  rows_ = 1 + draft.size();
  return draft;
}

void PricedDraft::look_ahead() {
  DraftGrowth::Expected expected = growth_.expected(sources_, survival_);
  expected_ = std::move(expected.tokens);
  if (expected_.empty()) return;
  SurvivalTable survival = survival_;  // the table as it is expected to be then
  observe(expected_, survival);
  ahead_.begin(std::move(expected.end));
  ahead_.grow(sources_, survival, cost_, max_nodes_);
}

int PricedDraft::best_count(int limit) {
  const std::vector<int>& order = growth_.order();
  const int context = static_cast<int>(growth_.end().length);
  const double plain_step = cost_.seconds(1, context);
  const bool sure = !order.empty() && growth_.node(order.front()).probability > kSureProbability;
  const double at_risk = plain_step * (sure ? kSureRisk : kFirstRisk);
  const double affordable = plain_step + at_risk + saved_ + kShareAtRisk * plain_;
  const double longest = std::max(kMaxChunkSeconds, kMaxSteps * plain_step);
  double tokens = 1;
  double best_rate = tokens / plain_step;
  int best = 0;
  for (int count = 1; count <= std::min(limit, static_cast<int>(order.size())); ++count) {
    const double seconds = cost_.seconds(1 + count, context);
    if (seconds > affordable || seconds > longest) break;
    tokens += growth_.node(order[static_cast<std::size_t>(count) - 1]).probability;
    if (tokens / seconds > best_rate) {
      best_rate = tokens / seconds;
      best = count;
    }
  }
  rate_ = best_rate;
  return best;
}

void PricedDraft::learn(std::span<const TokenId> written) {
  as_expected_ = !expected_.empty() && std::ranges::equal(written, expected_);
  if (rows_ == 0) return;
  const int context = static_cast<int>(growth_.end().length);
  const double worth = cost_.seconds(1, context) * static_cast<double>(written.size());
  plain_ += worth;
  saved_ += worth - cost_.seconds(rows_, context);
  rows_ = 0;
  observe(written, survival_);
}

void PricedDraft::observe(std::span<const TokenId> written, SurvivalTable& survival) const {
  const std::vector<int>& order = growth_.order();
  auto place = order.begin();  // children come after their parent
  int at = 0;
  for (const TokenId token : written) {
    for (bool right = false; !right; ++place) {
      if (place == order.end()) return;
      const DraftGrowth::Node& child = growth_.node(*place);
      if (child.parent != at) continue;
      right = child.token == token;
      survival.observe(*child.kind, child.match, child.first, right);
      if (right) at = *place;
    }
  }
}

}  // namespace redraft
