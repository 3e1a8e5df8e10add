#pragma once

#include <span>

#include "decoding/decoder.h"
#include "decoding/draft_source.h"
#include "decoding/drafting/methods/head_reader.h"
#include "support/token.h"

namespace redraft {

// The chain of the likeliest tokens that the target's draft head proposes.
class HeadSource : public DraftSource {
 public:
  // At most `tokens` tokens, or as many as the head has places. `target` has a head.
  HeadSource(const ModelSlot& target, int tokens) : reader_(target), tokens_(tokens) {}

  DraftTree draft(std::span<const TokenId> context, int limit) override;
  void observe(const VerifiedDraft& pass) override { reader_.observe(pass); }

 private:
  HeadReader reader_;
  int tokens_;
};

}  // namespace redraft
