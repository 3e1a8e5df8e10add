#pragma once

#include <span>
#include <vector>

#include "decoding/draft_source.h"
#include "decoding/drafting/lookup/first_places.h"

namespace redraft {

// Prompt lookup decoding as it was first published: the last n tokens of the context, n from
// `longest` down to 1, are looked for from its beginning; what follows the first place with
// `tokens` tokens after it is the draft.
class PromptLookupSource : public DraftSource {
 public:
  PromptLookupSource(int longest, int tokens);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  std::vector<FirstPlaces> places_;  // [n - 1]
  std::size_t tokens_;
};

}  // namespace redraft
