#include "bench/margins.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "decoding/draft_tree.h"
#include "decoding/kv_cache.h"

namespace redraft {
namespace {

constexpr std::size_t kChunk = 64;

int class_of(double margin) {
  const auto end = std::find_if(kMarginEnds.begin(), kMarginEnds.end(),
                                [margin](double each) { return margin < each; });
  return static_cast<int>(end - kMarginEnds.begin());
}

}  // namespace

std::vector<int> margin_histogram(LanguageModel& model, std::span<const TokenId> prompt,
                                  std::span<const TokenId> output, const std::stop_token& stop) {
  std::vector<int> counts(kMarginClasses, 0);
  if (prompt.empty() || output.empty()) return counts;
  const auto cache = model.new_cache(static_cast<int>(prompt.size() + output.size()));
  for (auto rest = prompt.first(prompt.size() - 1); !rest.empty();) {
    if (stop.stop_requested()) return {};
    const auto chunk = rest.first(std::min(kChunk, rest.size()));
    model.forward(chunk, DraftTree(), *cache, {.every_row = false});
    rest = rest.subspan(chunk.size());
  }
  // The row of a token predicts the next one: the last token's own row is not needed.
  std::vector<TokenId> rows = {prompt.back()};
  rows.insert(rows.end(), output.begin(), output.end() - 1);
  for (std::span<const TokenId> rest = rows; !rest.empty();) {
    if (stop.stop_requested()) return {};
    const auto chunk = rest.first(std::min(kChunk, rest.size()));
    const DraftTree draft = DraftTree::chain(chunk.subspan(1), DraftOrigin::kOther);
    const Predictions predictions = model.forward(chunk.first(1), draft, *cache, {.top_k = 2});
    std::vector<int> path(chunk.size() - 1);
    std::iota(path.begin(), path.end(), 0);
    cache->keep(path);
    for (std::size_t row = 0; row < chunk.size(); ++row) {
      ++counts[class_of(predictions.top_logits[2 * row] - predictions.top_logits[2 * row + 1])];
    }
    rest = rest.subspan(chunk.size());
  }
  return counts;
}

}  // namespace redraft
