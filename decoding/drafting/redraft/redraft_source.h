#pragma once

#include <memory>
#include <span>

#include "decoding/decoder.h"
#include "decoding/drafting/redraft/priced_draft.h"
#include "decoding/drafting/redraft/proposer.h"
#include "decoding/drafting/redraft/redraft_memory.h"
#include "decoding/drafting/redraft/redraft_options.h"
#include "decoding/drafting/redraft/source_set.h"
#include "decoding/drafting/redraft/sources/source_list.h"
#include "decoding/phase.h"
#include "support/token.h"

namespace redraft {

// Sources that have to run to make a guess; null: there is none.
struct Proposers {
  std::unique_ptr<Proposer> head = nullptr;   // the target's draft head
  std::unique_ptr<Proposer> model = nullptr;  // the draft model
};

// The source of the default decoder. Every guess source contributes at every place of one tree, and
// PricedDraft decides how far the tree grows. A draft head and a draft model, if present, run when
// that is expected to pay.
class RedraftSource : public DraftSource {
 public:
  // `memory` and `tokenizer` (may be null) outlive this. The destructor adds the written text to
  // the memory.
  RedraftSource(const DecodeRequest& request, const RedraftOptions& options, RedraftMemory& memory,
                const Tokenizer* tokenizer, Proposers proposers = {},
                std::span<const SourceMaker> sources = all_sources());

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void look_ahead() override;
  void observe(const VerifiedDraft& pass) override;

 private:
  // A proposer (null: none) and its proposal for the current pass.
  struct Asked {
    std::unique_ptr<Proposer> proposer;
    Proposal proposal = {};

    const Proposal* if_there() const { return proposer ? &proposal : nullptr; }
  };
  void absorb(std::span<const TokenId> context);

  std::size_t prompt_size_;
  std::size_t known_;  // tokens of the context that the sources have followed
  RedraftMemory& memory_;
  Asked head_, model_;
  SourceSet sources_;
  PricedDraft priced_;
};

}  // namespace redraft
