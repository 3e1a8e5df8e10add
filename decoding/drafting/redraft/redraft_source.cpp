// What happens in a pass of the default decoder
//
// draft(): PricedDraft reads the tokens since the last draft and learns which guesses were right.
// Every source follows these tokens and performs its slower look-ups. Then DraftGrowth collects the
// guesses of all sources, place by place, and PricedDraft decides how much of the tree is worth its
// rows. If there is a draft head, HeadProposer decides whether its tokens promise more than the
// tree; if so, they become one more source, and the tree is grown again. A draft model and
// ModelProposer work in the same way, after the head because they cost more.
//
// look_ahead(): While a device verifies the draft, the next tree grows from the expected end of the
// text.
//
// observe(): Learns what the target predicted at every row, right or wrong, and how long the pass
// took.
//
// An example. "Rename count to total" in a file that begins
//
//     count = 0
//     for x in xs:
//         count += x
//
// The instruction announces the replacement, so the first tree begins with "total" (.50) and, as an
// alternative, "count". After "total" it follows the original in sync: " = 0", the line break, "for
// x in xs:". The indentation of the third line is guessed from the original and from the colon
// before it, and perhaps copied from elsewhere. All agree, and the likeliest of them gets the node.
// After it again "total" or "count"; once the target has written the first "total", that is .92. If
// the target writes "counter" instead, only the tokens before that are accepted, and the target's
// own is added. The output has left the original, and the sources in the list
// (sources/source_list.cpp) guess how "counter" continues.

#include "decoding/drafting/redraft/redraft_source.h"

#include <utility>

namespace redraft {
namespace {

constexpr int kMaxNodes = 512;

}  // namespace

RedraftSource::RedraftSource(const DecodeRequest& request, const RedraftOptions& options,
                             RedraftMemory& memory, const Tokenizer* tokenizer, Proposers proposers,
                             std::span<const SourceMaker> sources)
    : prompt_size_(request.prompt.size()),
      known_(prompt_size_),
      memory_(memory),
      head_{.proposer = std::move(proposers.head)},
      model_{.proposer = std::move(proposers.model)},
      sources_(sources, request, memory.sources, tokenizer,
               {.model = model_.if_there(), .head = head_.if_there()}),
      priced_(sources_, memory.pace, options.max_nodes.value_or(kMaxNodes), options.shape) {}

DraftTree RedraftSource::draft(std::span<const TokenId> context, int limit) {
  absorb(context);
  sources_.prepare(context);
  DraftTree draft = priced_.choose(context, prompt_size_, limit);
  for (Asked* const asked : {&head_, &model_}) {
    if (!asked->proposer) continue;
    asked->proposal = asked->proposer->propose(context, limit, priced_.rate());
    // The other sources guess alternatives to the proposal and what follows it.
    if (!asked->proposal.empty()) draft = priced_.choose(context, prompt_size_, limit);
  }
  return draft;
}

void RedraftSource::look_ahead() {
  // A future proposal cannot be foreseen.
  if (head_.proposal.empty() && model_.proposal.empty()) priced_.look_ahead();
}

void RedraftSource::observe(const VerifiedDraft& pass) {
  sources_.observe(pass);
  for (Asked* const asked : {&head_, &model_})
    if (asked->proposer) asked->proposer->observe(pass);
  memory_.pace.measured(pass.rows, static_cast<int>(known_), pass.seconds);
}

void RedraftSource::absorb(std::span<const TokenId> context) {
  const auto written = context.subspan(known_);
  priced_.learn(written);
  for (Asked* const asked : {&head_, &model_}) {
    if (asked->proposer) asked->proposer->learn(asked->proposal, written);
    asked->proposal.clear();
  }
  while (known_ < context.size()) sources_.follow(context.first(++known_));
}

}  // namespace redraft
