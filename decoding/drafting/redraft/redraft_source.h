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

// The source of the default decoder. Every guess source is asked at every place of one tree, and
// PricedDraft decides how far the tree grows; a draft model, if there is one, runs when that is
// expected to pay.
class RedraftSource : public DraftSource {
 public:
  // `memory` and `tokenizer` (may be null) outlive this; at the end, what was written goes into the
  // memory.
  RedraftSource(const DecodeRequest& request, const RedraftOptions& options, RedraftMemory& memory,
                const Tokenizer* tokenizer, std::unique_ptr<ModelProposer> model = nullptr,
                std::span<const SourceMaker> sources = all_sources());

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void look_ahead() override;
  void observe(const VerifiedDraft& pass) override;

 private:
  void absorb(std::span<const TokenId> context);

  std::size_t prompt_size_;
  std::size_t known_;  // tokens of the context that the sources have followed
  RedraftMemory& memory_;
  std::unique_ptr<ModelProposer> model_;  // null: there is no draft model
  std::vector<TokenId> proposal_;         // of the draft model, for the current pass
  SourceSet sources_;
  PricedDraft priced_;
};

}  // namespace redraft
