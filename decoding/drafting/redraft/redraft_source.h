#pragma once

#include <memory>
#include <span>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/drafting/redraft/model_proposer.h"
#include "decoding/drafting/redraft/priced_draft.h"
#include "decoding/drafting/redraft/redraft_memory.h"
#include "decoding/drafting/redraft/redraft_options.h"
#include "decoding/drafting/redraft/source_set.h"
#include "decoding/drafting/redraft/sources/source_list.h"
#include "decoding/phase.h"
#include "support/token.h"

namespace redraft {

// The default. Every source guesses at every place of one tree, and PricedDraft decides how far the
// tree grows; a draft model, if there is one, is run where that is expected to pay.
class RedraftSource : public DraftSource {
 public:
  // `memory` and `tokenizer` (may be null) outlive this; what is written goes into the memory at
  // the end.
  RedraftSource(const DecodeRequest& request, const RedraftOptions& options, RedraftMemory& memory,
                const Tokenizer* tokenizer, std::unique_ptr<ModelProposer> model = nullptr,
                std::span<const SourceMaker> sources = all_sources());

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void look_ahead() override;
  void observe(const VerifiedDraft& pass) override;

 private:
  void absorb(std::span<const TokenId> context);

  std::size_t prompt_size_;
  std::size_t known_;  // tokens of the context so far
  RedraftMemory& memory_;
  std::unique_ptr<ModelProposer> model_;  // null: there is none
  std::vector<TokenId> proposal_;         // of the draft model, for the pass under way
  SourceSet sources_;
  PricedDraft priced_;
};

}  // namespace redraft
