#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bench/methods/first_places.h"
#include "decoding/draft_source.h"
#include "support/token.h"

namespace redraft {

struct LlmaOptions {
  int shortest = 1;  // n: minimum number of tokens of the output that must occur in a document
  int longest = 5;   // maximum number of them, tried first; at least `shortest`
  int rows = 20;     // k: rows per pass, including that of the output's last token
};

// LLMA (Yang et al. 2023, "Inference with Reference"): where the last tokens of the output occur in
// a reference document, the draft is what follows there. Among equally long matches the first
// occurrence in the first document counts.
class LlmaSource : public DraftSource {
 public:
  // The output begins after the `prompt_size` tokens of the prompt.
  LlmaSource(const LlmaOptions& options, std::vector<std::vector<TokenId>> documents,
             std::size_t prompt_size);

  DraftTree draft(std::span<const TokenId> context, int limit) override;

 private:
  struct Document {
    std::vector<TokenId> tokens;
    std::vector<FirstPlaces> places;  // by length, `shortest` first
  };

  LlmaOptions options_;
  std::vector<Document> documents_;
  std::size_t prompt_size_;
};

}  // namespace redraft
