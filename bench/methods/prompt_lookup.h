#pragma once

#include <span>
#include <vector>

#include "bench/methods/first_places.h"
#include "decoding/draft_source.h"

namespace redraft {

// Prompt lookup decoding as first published. It searches from the beginning of the context for the
// last n tokens, for n from `longest` down to 1. The draft follows the first occurrence that has
// `tokens` tokens after it.
class PromptLookupSource : public DraftSource {
 public:
  PromptLookupSource(int longest, int tokens);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  std::vector<FirstPlaces> places_;  // [n - 1]
  std::size_t tokens_;
};

}  // namespace redraft
