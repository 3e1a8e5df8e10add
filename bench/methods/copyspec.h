#pragma once

#include <memory>
#include <span>

#include "bench/methods/first_places.h"
#include "decoding/draft_source.h"

namespace redraft {

// CopySpec (section 3): if the last `gamma` tokens occurred before, the draft is the `tokens`
// tokens after the first occurrence that does not overlap them. If there is none, `otherwise`
// drafts.
class CopySpecSource : public DraftSource {
 public:
  // `otherwise` may be null: no draft then.
  CopySpecSource(int gamma, int tokens, std::unique_ptr<DraftSource> otherwise);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  FirstPlaces places_;
  std::size_t gamma_;
  std::size_t tokens_;
  std::unique_ptr<DraftSource> otherwise_;
};

}  // namespace redraft
