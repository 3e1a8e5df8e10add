#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "decoding/decoder.h"
#include "decoding/draft_source.h"
#include "decoding/drafting/methods/draft_reader.h"
#include "support/token.h"

namespace redraft {

// A smaller model's greedy continuation. Its cache follows the context lazily: it reads tokens that
// were accepted without it in chunks at the next draft.
class ModelSource : public DraftSource {
 public:
  // Proposes up to `gamma` tokens, none after one of `stop_tokens`. Checks `stop` before every pass
  // of the model; once it is set there is no draft.
  ModelSource(ModelSlot slot, int gamma, std::span<const TokenId> stop_tokens,
              std::stop_token stop);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  ModelSlot slot_;
  int gamma_;
  std::vector<TokenId> stop_tokens_;
  std::stop_token stop_;
  DraftReader reader_;
};

}  // namespace redraft
